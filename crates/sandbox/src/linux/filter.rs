//! Filters of system calls: a search by the number of a call first, and the library's rules on arguments where
//! the number does not decide.

use std::collections::{BTreeMap, BTreeSet};
use std::env::consts::ARCH;
use std::{io, mem};

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, sock_filter,
};

/// A condition on the argument with this index, counted from 0: its length, and a comparison with a value.
pub(crate) type Condition = (u8, SeccompCmpArgLen, SeccompCmpOp, u64);
/// The conditions that a call meets together.
pub(crate) type Rule = Vec<Condition>;
/// Rules by the numbers of calls. An empty list of rules matches a call with any arguments.
pub(crate) type OfCalls = Vec<(i64, Vec<Rule>)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Allowed,
    Unknown,
    /// The arguments decide, or a later filter does.
    Open,
}

pub(crate) struct Parts {
    /// The verdicts by the number of a call, in ascending order. Each verdict holds up to the next number.
    decided: Vec<(u32, Verdict)>,
    /// The filters for the open calls. The first filter that does not allow a call decides.
    chain: Vec<BpfProgram>,
}

impl Parts {
    /// Allows the calls of `allowed`, and the uses of other calls that match a rule of `conditional`. A use
    /// that matches a rule of `exceptions` ends with the error beside the rule, or with success if the error
    /// is 0. The first matching exception decides.
    pub(crate) fn new(
        mut allowed: BTreeSet<i64>,
        conditional: OfCalls,
        exceptions: Vec<(OfCalls, libc::c_int)>,
    ) -> Result<Parts, BackendError> {
        let excepted = exceptions.iter().flat_map(|(rules, _)| rules);
        let mut open: BTreeSet<i64> = excepted.map(|&(call, _)| call).collect();
        let mut rules: BTreeMap<i64, Vec<Rule>> = conditional.into_iter().collect();
        for &call in allowed.intersection(&open) {
            rules.entry(call).or_default();
        }
        open.extend(rules.keys());
        allowed.retain(|call| !open.contains(call));
        let unknown = SeccompAction::Errno(libc::ENOSYS as u32);
        let mut chain = vec![program(rules, unknown, SeccompAction::Allow)?];
        for (rules, error) in exceptions.into_iter().filter(|(rules, _)| !rules.is_empty()) {
            let mut of_calls = BTreeMap::<_, Vec<_>>::new();
            for (call, rules) in rules {
                of_calls.entry(call).or_default().extend(rules);
            }
            let action = SeccompAction::Errno(error as u32);
            chain.push(program(of_calls, SeccompAction::Allow, action)?);
        }
        Ok(Parts { decided: decided(&allowed, &open), chain })
    }

    /// Returns the filter that decides as these parts.
    ///
    /// # Errors
    ///
    /// Returns an error if the lists are too long for the jumps of a filter.
    pub(crate) fn filter(self) -> io::Result<BpfProgram> {
        let rest = self.chain.into_iter().rev().reduce(|later, filter| then(filter, later));
        by_number(self.decided, rest.unwrap_or_default()).map(without_detours)
    }

    #[cfg(test)]
    pub(crate) fn verdict(&self, call: u32) -> Verdict {
        let known = self.decided.iter().rev().find(|&&(least, _)| least <= call);
        known.expect("it begins at 0").1
    }
}

fn program(
    rules: BTreeMap<i64, Vec<Rule>>,
    otherwise: SeccompAction,
    action: SeccompAction,
) -> Result<BpfProgram, BackendError> {
    let condition =
        |(index, length, operator, value)| SeccompCondition::new(index, length, operator, value);
    let rule =
        |rule: Rule| SeccompRule::new(rule.into_iter().map(condition).collect::<Result<_, _>>()?);
    let of_call = |(call, rules): (i64, Vec<Rule>)| {
        Ok((call, rules.into_iter().map(rule).collect::<Result<_, BackendError>>()?))
    };
    let rules = rules.into_iter().map(of_call).collect::<Result<_, BackendError>>()?;
    SeccompFilter::new(rules, otherwise, action, ARCH.try_into()?)?.try_into()
}

/// Returns the verdicts by the number of a call. Each verdict holds up to the next number.
fn decided(allowed: &BTreeSet<i64>, open: &BTreeSet<i64>) -> Vec<(u32, Verdict)> {
    let named = allowed.union(open).filter_map(|&call| u32::try_from(call).ok());
    let numbers: BTreeSet<u32> = named.flat_map(|call| [call, call + 1]).chain([0]).collect();
    let mut verdicts: Vec<(u32, Verdict)> = Vec::new();
    for number in numbers {
        let verdict = match i64::from(number) {
            call if open.contains(&call) => Verdict::Open,
            call if allowed.contains(&call) => Verdict::Allowed,
            _ => Verdict::Unknown,
        };
        if verdicts.last().is_none_or(|&(_, last)| last != verdict) {
            verdicts.push((number, verdict));
        }
    }
    verdicts
}

const RETURN: u32 = libc::BPF_RET | libc::BPF_K;
const GO: u32 = libc::BPF_JMP | libc::BPF_JA;
const AT_LEAST: u32 = libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K;
const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;

/// The number of instructions with which the library begins every filter: they end processes of another
/// architecture.
const ARCHITECTURE_CHECK: usize = 3;

fn statement(code: u32, k: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

/// Returns a filter that passes all calls that `filter` allows on to `later`.
fn then(mut filter: BpfProgram, later: BpfProgram) -> BpfProgram {
    let ends = filter.len();
    for (index, it) in filter.iter_mut().enumerate() {
        if u32::from(it.code) == RETURN && it.k == libc::SECCOMP_RET_ALLOW {
            *it = statement(GO, (ends - index - 1) as u32);
        }
    }
    filter.extend(later.into_iter().skip(ARCHITECTURE_CHECK));
    filter
}

/// Returns a filter without jumps that lead to the next instruction or to another jump. The library writes
/// two such jumps for every rule.
fn without_detours(mut filter: BpfProgram) -> BpfProgram {
    let is_jump = |it: &sock_filter| u32::from(it.code) == GO;
    let is_choice = |it: &sock_filter| {
        let code = u32::from(it.code);
        code & 0x07 == libc::BPF_JMP && code != GO
    };
    // From the last instruction to the first, each jump is redirected to its final target.
    for index in (0..filter.len()).rev() {
        let end = |next: usize| match filter.get(next) {
            Some(it) if is_jump(it) => next + 1 + it.k as usize,
            _ => next,
        };
        let it = filter[index].clone();
        let near = |offset: u8| {
            let next = index + 1 + usize::from(offset);
            u8::try_from(end(next) - index - 1).unwrap_or(offset)
        };
        if is_jump(&it) {
            filter[index].k = (end(index + 1 + it.k as usize) - index - 1) as u32;
        } else if is_choice(&it) {
            (filter[index].jt, filter[index].jf) = (near(it.jt), near(it.jf));
        }
    }
    let mut is_reached = vec![false; filter.len()];
    let mut pending = vec![0];
    while let Some(index) = pending.pop() {
        if std::mem::replace(&mut is_reached[index], true) {
            continue;
        }
        let it = &filter[index];
        if is_jump(it) {
            pending.push(index + 1 + it.k as usize);
        } else if is_choice(it) {
            pending.extend([it.jt, it.jf].map(|offset| index + 1 + usize::from(offset)));
        } else if u32::from(it.code) & 0x07 != libc::BPF_RET {
            pending.push(index + 1);
        }
    }
    let is_kept =
        |index: usize| is_reached[index] && !(is_jump(&filter[index]) && filter[index].k == 0);
    // The new place of each instruction, or of the next kept instruction.
    let mut places = vec![0];
    places.extend((0..filter.len()).scan(0, |kept, index| {
        *kept += usize::from(is_kept(index));
        Some(*kept)
    }));
    let moved = |index: usize, offset: usize| places[index + 1 + offset] - places[index] - 1;
    let kept = (0..filter.len()).filter(|&index| is_kept(index)).map(|index| {
        let it = filter[index].clone();
        if is_jump(&it) {
            statement(GO, moved(index, it.k as usize) as u32)
        } else if is_choice(&it) {
            // The offset is no greater than before, so it fits.
            let near = |offset: u8| moved(index, usize::from(offset)) as u8;
            sock_filter { jt: near(it.jt), jf: near(it.jf), ..it }
        } else {
            it
        }
    });
    kept.collect()
}

/// The target of a jump in a search: a comparison by its place among all, or a verdict.
#[derive(Clone, Copy, Debug)]
enum Target {
    Place(usize),
    Verdict(Verdict),
}

/// Returns a filter that looks a call up in `decided`, and passes open calls on to `rest`.
///
/// When a process installs a filter, the kernel runs it for every call that exists. The library compares a
/// number with each call of a list, one after the other, so a list of two hundred calls takes 0.7 ms of every
/// start of a program. The kernel also translates each instruction, so all comparisons share the instructions
/// for the verdicts.
fn by_number(decided: Vec<(u32, Verdict)>, rest: BpfProgram) -> io::Result<BpfProgram> {
    const NUMBER: u32 = mem::offset_of!(libc::seccomp_data, nr) as u32;
    /// The verdicts, in the order of the instructions for them, which come after the search.
    const VERDICTS: [Verdict; 3] = [Verdict::Allowed, Verdict::Unknown, Verdict::Open];
    /// Adds the comparisons for a part of the numbers to `found`. Returns the target at which their search
    /// begins.
    fn search(decided: &[(u32, Verdict)], found: &mut Vec<(u32, [Target; 2])>) -> Target {
        match decided {
            [] => Target::Verdict(Verdict::Unknown),
            [(_, verdict)] => Target::Verdict(*verdict),
            _ => {
                let (low, high) = decided.split_at(decided.len() / 2);
                let place = found.len();
                found.push((high[0].0, [Target::Place(place); 2]));
                let below = search(low, found);
                found[place].1 = [search(high, found), below];
                Target::Place(place)
            }
        }
    }
    // The check of the architecture comes first, because the numbers depend on it.
    let (check, rest) = rest.split_at(ARCHITECTURE_CHECK);
    let mut found = Vec::new();
    let root = search(&decided, &mut found);
    if let Target::Verdict(_) = root {
        found.push((0, [root; 2]));
    }
    let ends = found.len();
    let jump = |from: usize, to: Target| {
        let to = match to {
            Target::Place(place) => place,
            Target::Verdict(verdict) => {
                ends + VERDICTS.iter().position(|&it| it == verdict).unwrap_or(0)
            }
        };
        u8::try_from(to - from - 1).map_err(io::Error::other)
    };
    let compares = found.iter().enumerate().map(|(place, &(least, [high, low]))| {
        let (jt, jf) = (jump(place, high)?, jump(place, low)?);
        Ok(sock_filter { jt, jf, ..statement(AT_LEAST, least) })
    });
    let mut found = compares.collect::<io::Result<BpfProgram>>()?;
    found.extend(VERDICTS.map(|verdict| match verdict {
        Verdict::Allowed => statement(RETURN, libc::SECCOMP_RET_ALLOW),
        Verdict::Unknown => statement(RETURN, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
        // The rest comes next.
        Verdict::Open => statement(GO, 0),
    }));
    Ok([check, &[statement(LOAD, NUMBER)], &found, rest].concat())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the verdict of a filter on a call of this architecture, by the rules of classic BPF.
    pub(crate) fn verdict(filter: &[sock_filter], call: u32, arguments: [u64; 6]) -> u32 {
        const VALUE: u32 = libc::BPF_K;
        const AND: u32 = libc::BPF_ALU | libc::BPF_AND | VALUE;
        let mut data = vec![call, filter[1].k, 0, 0];
        data.extend(arguments.iter().flat_map(|&it| [it as u32, (it >> 32) as u32]));
        let (mut at, mut value) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = filter[at];
            at += 1;
            let mut jump = |is_true| at += usize::from(if is_true { jt } else { jf });
            match u32::from(code) {
                LOAD => value = data[k as usize / 4],
                RETURN => return k,
                AND => value &= k,
                GO => at += k as usize,
                AT_LEAST => jump(value >= k),
                code if code == libc::BPF_JMP | libc::BPF_JEQ | VALUE => jump(value == k),
                code if code == libc::BPF_JMP | libc::BPF_JGT | VALUE => jump(value > k),
                code => panic!("code {code:#x} at {}", at - 1),
            }
        }
    }

    /// The definition that the filter must meet: the first of the chain that does not allow a call decides.
    pub(crate) fn expected(parts: &Parts, call: u32, arguments: [u64; 6]) -> u32 {
        match parts.verdict(call) {
            Verdict::Allowed => libc::SECCOMP_RET_ALLOW,
            Verdict::Unknown => libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32,
            Verdict::Open => {
                let verdicts = parts.chain.iter().map(|filter| verdict(filter, call, arguments));
                let refusal = verdicts.into_iter().find(|&it| it != libc::SECCOMP_RET_ALLOW);
                refusal.unwrap_or(libc::SECCOMP_RET_ALLOW)
            }
        }
    }
}
