//! Rules of host registration that no hardware has confirmed here, or that
//! differ between drivers: each is a switch, `SOFTCUDA_RULES=NAME=VALUE,…`,
//! whose value is `accept` or the `CUresult` that the case gives.

use crate::status::{Outcome, Status};

/// One case that a driver accepts or refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Registering a disjoint range that shares a page with a registered one.
    SamePage,
    /// Registering a range whose ends are not at page boundaries.
    Unaligned,
    /// Registering memory that the host may only read, without the flag
    /// `CU_MEMHOSTREGISTER_READ_ONLY`.
    ReadOnly,
    /// The flag `CU_MEMHOSTREGISTER_READ_ONLY` itself.
    ReadOnlyFlag,
    /// Registering managed memory.
    RegisterManaged,
    /// Registering memory from `cuMemHostAlloc`.
    RegisterAllocated,
    /// Unregistering by a pointer into a registered range.
    UnregisterInterior,
    /// Unregistering while work is queued; accepted by doing the work first.
    UnregisterBusy,
    /// A copy of which a part is registered and a part is not.
    Straddle,
    /// A copy across two registrations, or managed allocations, that touch.
    Adjacent,
    /// A child of `fork` touching its parent's managed memory; accepted, it
    /// shares it.
    ManagedFork,
}

/// Name, rule and default, in the order of [`Rule`].
const TABLE: &[(&str, Rule, Outcome)] = &[
    ("same-page", Rule::SamePage, Ok(())),
    ("unaligned", Rule::Unaligned, Ok(())),
    ("read-only", Rule::ReadOnly, Err(Status::INVALID_VALUE)),
    ("read-only-flag", Rule::ReadOnlyFlag, Ok(())),
    ("register-managed", Rule::RegisterManaged, Err(Status::ALREADY_REGISTERED)),
    ("register-allocated", Rule::RegisterAllocated, Err(Status::ALREADY_REGISTERED)),
    ("unregister-interior", Rule::UnregisterInterior, Err(Status::INVALID_VALUE)),
    ("unregister-busy", Rule::UnregisterBusy, Ok(())),
    ("straddle", Rule::Straddle, Err(Status::INVALID_VALUE)),
    ("adjacent", Rule::Adjacent, Err(Status::INVALID_VALUE)),
    ("managed-fork", Rule::ManagedFork, Err(Status::ILLEGAL_ADDRESS)),
];

/// The verdict on each rule.
#[derive(Clone, Debug)]
pub(crate) struct Rules([Outcome; TABLE.len()]);

impl Default for Rules {
    fn default() -> Rules {
        Rules(std::array::from_fn(|index| TABLE[index].2))
    }
}

impl Rules {
    /// Reads `NAME=VALUE,…`.
    pub(crate) fn parse(text: &str) -> Result<Rules, String> {
        let mut rules = Rules::default();
        for item in text.split(',').filter(|item| !item.is_empty()) {
            let (name, value) =
                item.split_once('=').ok_or_else(|| format!("'{item}' is not NAME=VALUE"))?;
            let index = TABLE.iter().position(|row| row.0 == name).ok_or_else(|| {
                let names: Vec<_> = TABLE.iter().map(|row| row.0).collect();
                format!("no rule '{name}', only {}", names.join(", "))
            })?;
            rules.0[index] = match (value, Status::parse(value)) {
                ("accept", _) => Ok(()),
                (_, Some(status)) => Err(status),
                _ => return Err(format!("'{value}' is neither 'accept' nor a CUresult")),
            };
        }
        Ok(rules)
    }

    /// Whether the case is accepted.
    pub(crate) fn check(&self, rule: Rule) -> Outcome {
        self.0[rule as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_has_its_row() {
        assert_eq!(TABLE.len(), Rule::ManagedFork as usize + 1);
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(index, row.1 as usize, "{}", row.0);
        }
    }

    #[test]
    fn values_replace_defaults() {
        let rules = Rules::parse("straddle=accept,same-page=712").unwrap();
        assert_eq!(rules.check(Rule::Straddle), Ok(()));
        assert_eq!(rules.check(Rule::SamePage), Err(Status::ALREADY_REGISTERED));
        assert_eq!(rules.check(Rule::Adjacent), Err(Status::INVALID_VALUE));
        assert!(Rules::parse("stradle=1").unwrap_err().contains("same-page"));
        assert!(Rules::parse("straddle=perhaps").is_err());
        assert!(Rules::parse("straddle").is_err());
    }
}
