//! The back end, asked twice: for a short time, and for as long as the query deserves after models were searched.

use crate::budgets::BUDGETS;
use crate::solver::UnknownReason;
use crate::stack::cache::Verdict;
use crate::stack::patience::{self, Patience};
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};
use crate::terms::model::Model;

/// Asks the back end for a short time.
pub(super) struct ShortAttempt;

/// Asks it again for the time that the query deserves, and gives up if that is not enough.
pub(super) struct LongAttempt;

impl Tactic for ShortAttempt {
    fn name(&self) -> &'static str {
        "short attempt"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        let (&extra, constraints) = query.rest().split_last()?;
        let limit = BUDGETS.patience.short / 2u32.pow(run.memory.given_up.within(query.key).min(2));
        match run.back_end.model_within(run.pool, constraints, extra, limit) {
            Err(reason) if reason != UnknownReason::Interrupted && !run.is_impatient => {
                query.undecided = Some(reason);
                None
            }
            outcome => Some(verdict(run, query, outcome)),
        }
    }
}

impl Tactic for LongAttempt {
    fn name(&self) -> &'static str {
        "long attempt"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        let short = query.undecided.unwrap_or(UnknownReason::Timeout);
        let (&extra, constraints) = query.rest().split_last()?;
        let mut outcome = Err(short);
        if short == UnknownReason::Timeout {
            let failures = run.memory.given_up.within(query.key);
            outcome = match patience::patience(run.pool, query.rest(), failures, run.back_end.time_limit()) {
                Patience::Own => run.back_end.model(run.pool, constraints, extra),
                Patience::Limit(limit) => run.back_end.model_within(run.pool, constraints, extra, limit),
                Patience::None => outcome,
            };
        }
        if outcome == Err(UnknownReason::Timeout)
            && let Some((_, older)) = query.conditions.split_last()
        {
            run.memory.given_up.add(older);
        }
        Some(verdict(run, query, outcome))
    }
}

fn verdict(run: &mut Run<'_>, query: &Query<'_>, outcome: Result<Option<Model>, UnknownReason>) -> Verdict {
    match outcome {
        Ok(Some(model)) => run.completed(query, model),
        Ok(None) => Verdict::Unsat,
        Err(reason) => Verdict::Unknown(reason),
    }
}
