//! Instructions that threads execute together: barriers, shuffles, votes.

use super::body::Body;
use super::cursor::{Cursor, Parsed};
use crate::instruction::{
    Barrier, Instruction, Operation, Register, Shuffle, ShuffleMode, Vote, VoteMode,
};

const ZERO: Register = Register::ZERO;

impl<'a> Body<'a, '_, '_> {
    /// `bar.sync a[, b]`, `bar.arrive a, b`, `bar.red d, a[, b], p`.
    pub(super) fn barrier(&mut self, cursor: &mut Cursor<'a>, barrier: Barrier) -> Parsed<()> {
        let reduces = !matches!(barrier, Barrier::Sync | Barrier::Arrive);
        let mut destination = Register::SINK;
        if reduces {
            destination = self.destination(cursor)?.register;
            cursor.expect(",")?;
        }
        let mut operands = vec![self.scalar(cursor)?];
        while operands.len() < 3 && cursor.eat(",") {
            operands.push(self.scalar(cursor)?);
        }
        let sources = match (reduces, &operands[..]) {
            (false, &[barrier]) => [barrier, ZERO, ZERO],
            (false, &[barrier, threads]) => [barrier, threads, ZERO],
            (true, &[barrier, predicate]) => [barrier, ZERO, predicate],
            (true, &[barrier, threads, predicate]) => [barrier, threads, predicate],
            _ => return Err(cursor.flaw("a barrier with other operands")),
        };
        let operation = Operation::Barrier(barrier);
        self.emit(Instruction { destination, sources, ..Instruction::new(operation) });
        Ok(())
    }

    /// `shfl d[|p], a, b, c[, membermask]`.
    pub(super) fn shuffle(
        &mut self,
        cursor: &mut Cursor<'a>,
        mode: ShuffleMode,
        sync: bool,
    ) -> Parsed<()> {
        let destination = self.destination(cursor)?.register;
        let inside = if cursor.eat("|") { Some(self.destination(cursor)?.register) } else { None };
        let mut sources = [ZERO; 3];
        for source in &mut sources {
            cursor.expect(",")?;
            *source = self.scalar(cursor)?;
        }
        let members = self.members(cursor, sync)?;
        // The predicate first: the destination may be one of the sources.
        let results = [inside.map(|p| (p, true)), Some((destination, false))];
        for (destination, predicate) in results.into_iter().flatten() {
            let shuffle = Shuffle { mode, members, predicate };
            let shuffle = Instruction::new(Operation::Shuffle(shuffle));
            self.emit(Instruction { destination, sources, ..shuffle });
        }
        Ok(())
    }

    /// `vote d, a[, membermask]`.
    pub(super) fn vote(
        &mut self,
        cursor: &mut Cursor<'a>,
        mode: VoteMode,
        sync: bool,
    ) -> Parsed<()> {
        let destination = self.destination(cursor)?.register;
        cursor.expect(",")?;
        let sources = [self.scalar(cursor)?, ZERO, ZERO];
        let members = self.members(cursor, sync)?;
        let vote = Instruction::new(Operation::Vote(Vote { mode, members }));
        self.emit(Instruction { destination, sources, ..vote });
        Ok(())
    }

    /// The `membermask` of a `.sync` instruction.
    fn members(&mut self, cursor: &mut Cursor<'a>, sync: bool) -> Parsed<Register> {
        if !sync {
            return Ok(ZERO);
        }
        cursor.expect(",")?;
        self.scalar(cursor)
    }
}
