//! "Module Management" and "Execution Control".

use super::pointer::{In, Out, Text};
use crate::device;
use crate::driver::driver;
use crate::launch::{Parameters, Shape, launch};
use crate::message::say;
use crate::module::{self, Function, IMAGE, Images, Linker, Module};
use crate::status::{Outcome, Status};
use std::ffi::{c_int, c_uint};

/// `CU_JIT_INPUT_PTX`.
const PTX: c_int = 1;

/// `CU_JIT_ERROR_LOG_BUFFER` and its size.
const ERROR_LOG: c_int = 5;
const ERROR_LOG_SIZE: c_int = 6;

/// Items of `extra`: end, buffer, size of the buffer.
const EXTRA_END: usize = 0;
const EXTRA_BUFFER: usize = 1;
const EXTRA_SIZE: usize = 2;

fn create(count: c_uint, options: In<c_int>, values: In<usize>, linker: Out<usize>) -> Outcome {
    let driver = driver()?;
    driver.context()?;
    let (mut log, mut size) = (0, 0);
    for index in 0..count as usize {
        match options.nth(index)? {
            ERROR_LOG => log = values.nth(index)?,
            ERROR_LOG_SIZE => size = values.nth(index)? & 0xffff_ffff,
            _ => {}
        }
    }
    linker.put(driver.linkers.insert(Linker::new(log, size)))
}

fn add(linker: usize, kind: c_int, data: In<u8>, size: usize, name: Text) -> Outcome {
    let linker = driver()?.linkers.get(linker)?;
    if kind != PTX {
        say(format_args!("the linker takes PTX only"));
        return Err(Status::INVALID_IMAGE);
    }
    let name = name.get().unwrap_or_else(|_| "PTX".to_owned());
    linker.add(&name, &data.bytes(size)?).map_err(|error| {
        let (log, size) = linker.log();
        // A program without a log has at least the message.
        let _ = Out::<u8>::at(log).put_all(size, error.bytes().take(size.max(1) - 1).chain([0]));
        Status::INVALID_PTX
    })
}

/// Loads a linker's output, or a PTX text that ends with a zero.
fn load(module: Out<usize>, data: In<u8>) -> Outcome {
    const ELF: &[u8] = b"\x7fELF";
    let driver = driver()?;
    let context = driver.context()?;
    context.streams.fault()?;
    let text = data.text()?;
    let objects = if text.starts_with(Images::PREFIX) {
        driver.images.objects(&data.bytes(IMAGE)?)?
    } else if text.starts_with(ELF) {
        say(format_args!("a module is machine code; only PTX can be loaded"));
        return Err(Status::INVALID_IMAGE);
    } else {
        module::text_objects("PTX", &text)?
    };
    module.put(driver.modules.insert(Module::load(context, objects)?))
}

functions! {
    /// "Module Management". Of the options, only the error log is used.
    fn cuLinkCreate_v2(count: c_uint, options: In<c_int>, values: In<usize>, linker: Out<usize>) {
        create(count, options, values, linker)
    }

    /// "Module Management".
    fn cuLinkCreate(count: c_uint, options: In<c_int>, values: In<usize>, linker: Out<usize>) {
        create(count, options, values, linker)
    }

    /// "Module Management".
    fn cuLinkAddData_v2(
        linker: usize,
        kind: c_int,
        data: In<u8>,
        size: usize,
        name: Text,
        _count: c_uint,
        _options: In<c_int>,
        _values: In<usize>,
    ) {
        add(linker, kind, data, size, name)
    }

    /// "Module Management".
    fn cuLinkAddData(
        linker: usize,
        kind: c_int,
        data: In<u8>,
        size: usize,
        name: Text,
        _count: c_uint,
        _options: In<c_int>,
        _values: In<usize>,
    ) {
        add(linker, kind, data, size, name)
    }

    /// "Module Management".
    fn cuLinkComplete(linker: usize, image: Out<*const u8>, size: Out<usize>) {
        let driver = driver()?;
        let linker = driver.linkers.get(linker)?;
        image.put(linker.complete(&driver.images))?;
        size.put_if_wanted(IMAGE);
        Ok(())
    }

    /// "Module Management".
    fn cuLinkDestroy(linker: usize) {
        driver()?.linkers.remove(linker).map(drop)
    }

    /// "Module Management".
    fn cuModuleLoadData(module: Out<usize>, data: In<u8>) {
        load(module, data)
    }

    /// "Module Management": the options are not used.
    fn cuModuleLoadDataEx(
        module: Out<usize>,
        data: In<u8>,
        _count: c_uint,
        _options: In<c_int>,
        _values: In<usize>,
    ) {
        load(module, data)
    }

    /// "Module Management".
    fn cuModuleLoad(module: Out<usize>, file: Text) {
        let driver = driver()?;
        let context = driver.context()?;
        let file = file.get()?;
        let text = std::fs::read(&file).map_err(|_| Status::FILE_NOT_FOUND)?;
        let objects = module::text_objects(&file, &text)?;
        module.put(driver.modules.insert(Module::load(context, objects)?))
    }

    /// "Module Management".
    fn cuModuleUnload(module: usize) {
        driver()?.unload(module)
    }

    /// "Module Management".
    fn cuModuleGetFunction(function: Out<usize>, module: usize, name: Text) {
        let driver = driver()?;
        let found = Function::find(driver.modules.get(module)?, &name.get()?)?;
        function.put(driver.functions.insert(found))
    }

    /// "Module Management". Variables that are not visible count, too, and
    /// either result may be unwanted: libgomp relies on both.
    fn cuModuleGetGlobal_v2(address: Out<u64>, size: Out<usize>, module: usize, name: Text) {
        let module = driver()?.modules.get(module)?;
        let found = module.program.variable(&name.get()?).ok_or(Status::NOT_FOUND)?;
        address.put_if_wanted(found.0);
        size.put_if_wanted(found.1 as usize);
        Ok(())
    }

    /// "Execution Control".
    fn cuFuncGetAttribute(value: Out<c_int>, attribute: c_int, function: usize) {
        let driver = driver()?;
        let function = driver.functions.get(function)?;
        value.put(match attribute {
            // MAX_THREADS_PER_BLOCK
            0 => device::threads(&driver.machine.options),
            // Shared, constant and local memory, cache mode.
            1..=3 | 7 => 0,
            // NUM_REGS
            4 => c_int::try_from(function.module.program.registers(function.entry)).unwrap_or(255),
            // PTX_VERSION and BINARY_VERSION
            5 => 60,
            6 => 70,
            // MAX_DYNAMIC_SHARED_SIZE_BYTES
            8 => 48 << 10,
            _ => return Err(Status::INVALID_VALUE),
        })
    }

    /// "Execution Control": nothing depends on these attributes.
    fn cuFuncSetAttribute(function: usize, _attribute: c_int, _value: c_int) {
        driver()?.functions.get(function).map(drop)
    }

    /// "Execution Control".
    fn cuLaunchKernel(
        function: usize,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: usize,
        parameters: In<usize>,
        extra: In<usize>,
    ) {
        let driver = driver()?;
        let function = driver.functions.get(function)?;
        let (context, stream) = driver.stream(stream)?;
        if context.id != function.module.context.id {
            return Err(Status::INVALID_CONTEXT);
        }
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let parameters = if extra.is_null() {
            Parameters::Addresses(Box::new(move |index, bytes| {
                In::at(parameters.nth(index).unwrap_or(0)).read(bytes);
            }))
        } else {
            buffer(extra)?
        };
        launch(function, Shape { grid, block, shared }, parameters, stream)
    }
}

/// The parameter buffer that `extra` describes.
fn buffer(extra: In<usize>) -> Outcome<Parameters> {
    let (mut address, mut size) = (0, 0);
    let mut index = 0;
    loop {
        match extra.nth(index)? {
            EXTRA_END => break,
            EXTRA_BUFFER => address = extra.nth(index + 1)?,
            EXTRA_SIZE => size = In::<usize>::at(extra.nth(index + 1)?).get()?,
            _ => return Err(Status::INVALID_VALUE),
        }
        index += 2;
    }
    In::<u8>::at(address).bytes(size).map(Parameters::Buffer)
}
