//! The part of a result that is shown.

use std::fmt;

use icsched_schedule::{Behind, Diagnostic, Enumeration, EpochResult, InputConstraint, PossibleError, Schedule};

/// A result and which epochs and schedules of it are shown.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The whole result.
    pub enumeration: &'a Enumeration,
    /// What is shown of it.
    pub epochs: Vec<EpochView<'a>>,
    behind: Behind,
}

/// An epoch that is shown.
#[derive(Clone, Debug)]
pub struct EpochView<'a> {
    /// Its place in the result, from 1.
    pub number: usize,
    /// The epoch.
    pub result: &'a EpochResult,
    /// The schedules that are shown.
    pub schedules: Vec<ScheduleView<'a>>,
}

/// A schedule, or a part of one, that is shown.
#[derive(Copy, Clone, Debug)]
pub struct ScheduleView<'a> {
    /// Its place in the epoch, from 1, parents first.
    pub number: usize,
    /// The number of the part it continues.
    pub after: Option<usize>,
    /// How many parts come before it.
    pub depth: usize,
    /// The schedule.
    pub schedule: &'a Schedule,
}

impl<'a> View<'a> {
    /// Everything.
    pub fn whole(enumeration: &'a Enumeration) -> Self {
        let epochs = enumeration.epochs.iter().enumerate().map(|(i, result)| EpochView {
            number: i + 1,
            result,
            schedules: ScheduleView::all(result),
        });
        Self { enumeration, epochs: epochs.collect(), behind: Behind::of(enumeration) }
    }

    /// The epochs and schedules that the user named, each by its number or by the start of its id. A schedule is
    /// looked for in the named epoch, without one in all.
    ///
    /// # Errors
    /// If nothing is so named, or an abbreviated id is that of several.
    pub fn select(
        enumeration: &'a Enumeration,
        epoch: Option<&str>,
        schedule: Option<&str>,
    ) -> Result<Self, SelectError> {
        let mut view = Self::whole(enumeration);
        if let Some(name) = epoch {
            view.epochs.retain(|e| is_named(name, e.number, &e.result.key().to_string()));
            check(Selected::Epoch, name, view.epochs.iter().map(|e| e.result.key().to_string()).collect())?;
        }
        if let Some(name) = schedule {
            for epoch in &mut view.epochs {
                epoch.schedules.retain(|s| is_named(name, s.number, &s.schedule.id.to_string()));
            }
            view.epochs.retain(|epoch| !epoch.schedules.is_empty());
            let ids = view.schedules().map(|(_, s)| s.schedule.id.to_string()).collect();
            check(Selected::Schedule, name, ids)?;
        }
        Ok(view)
    }

    /// The error behind which a schedule is, if there is one.
    pub fn error_before(&self, epoch: &EpochView<'_>, schedule: &Schedule) -> Option<&'a PossibleError> {
        self.enumeration.error_at(self.behind.schedule(epoch.number - 1, schedule)?)
    }

    /// Its place among the errors of the epochs that are shown, from 0, if it is one of those.
    pub fn shown_error(&self, epoch: &EpochView<'_>, schedule: &Schedule) -> Option<usize> {
        let (of, error) = self.behind.schedule(epoch.number - 1, schedule)?;
        let before: usize = self.epochs.iter().take_while(|e| e.number <= of).map(|e| e.result.errors.len()).sum();
        self.epochs.iter().any(|e| e.number == of + 1).then_some(before + error)
    }

    /// All schedules that are shown, with their epochs.
    pub fn schedules(&self) -> impl Iterator<Item = (&EpochView<'a>, &ScheduleView<'a>)> {
        self.epochs.iter().flat_map(|epoch| epoch.schedules.iter().map(move |schedule| (epoch, schedule)))
    }
}

impl<'a> EpochView<'a> {
    /// The inputs that the epoch's schedules leave out since they end the process early. Nothing where only some of
    /// the schedules are shown: "other inputs" would be those of the other schedules too.
    pub fn early_exits(&self) -> Option<&'a InputConstraint> {
        let whole = self.schedules.len() == self.result.tree.parts().len();
        self.result.early_exits.as_ref().filter(|_| whole)
    }

    /// The constraints of a part and of those that it continues, joined: the inputs that come to it.
    pub fn inputs(&self, view: &ScheduleView<'a>) -> InputConstraint {
        let parts = self.result.tree.parts();
        let mut way = Vec::new();
        let mut at = Some(view.number - 1);
        while let Some(part) = at {
            way.push(&parts[part].1.constraint);
            at = parts[part].0;
        }
        way.retain(|constraint| !constraint.is_always());
        match way[..] {
            [] => view.schedule.constraint.clone(),
            [one] => one.clone(),
            _ => {
                let grouped =
                    |c: &&InputConstraint| if c.c.contains("||") { format!("({})", c.c) } else { c.c.clone() };
                let texts: Vec<String> = way.iter().rev().map(grouped).collect();
                InputConstraint { c: texts.join(" && "), dag: None }
            }
        }
    }
}

impl<'a> ScheduleView<'a> {
    fn all(result: &'a EpochResult) -> Vec<Self> {
        let mut views: Vec<Self> = Vec::new();
        for (place, (parent, schedule)) in result.tree.parts().into_iter().enumerate() {
            let depth = parent.map_or(0, |parent| views[parent].depth + 1);
            views.push(Self { number: place + 1, after: parent.map(|parent| parent + 1), depth, schedule });
        }
        views
    }
}

/// A number is a place if it is short enough not to be meant as an id.
fn is_named(name: &str, number: usize, id: &str) -> bool {
    name == number.to_string() || (name.len() >= 4 && id.starts_with(name))
}

/// What a name on the command line is meant to name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Selected {
    Epoch,
    Schedule,
}

impl fmt::Display for Selected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Epoch => "epoch",
            Self::Schedule => "schedule",
        })
    }
}

/// Why nothing can be shown for a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SelectError {
    /// What was looked for.
    pub what: Selected,
    /// The name that was given.
    pub name: String,
    /// The ids it can mean: none or several.
    pub candidates: Vec<String>,
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, name, candidates } = self;
        match candidates.as_slice() {
            [] => write!(f, "there is no {what} `{name}`"),
            _ => write!(f, "`{name}` is more than one {what}"),
        }
    }
}

impl std::error::Error for SelectError {}

impl From<&SelectError> for Diagnostic {
    fn from(error: &SelectError) -> Self {
        let message = error.to_string();
        match (error.what, error.candidates.is_empty()) {
            (what, true) => Diagnostic::error("no-such-name", message)
                .help(format!("give the number of the {what}, or the first four or more digits of its id")),
            (Selected::Epoch, false) => Diagnostic::error("ambiguous-name", message)
                .note(format!("it can be {}", error.candidates.join(", ")))
                .help("give more digits of the id"),
            (Selected::Schedule, false) => Diagnostic::error("ambiguous-name", message)
                .note(format!("it can be {}", error.candidates.join(", ")))
                .help("give more digits of the id, or name the epoch too"),
        }
    }
}

fn check(what: Selected, name: &str, candidates: Vec<String>) -> Result<(), SelectError> {
    match candidates.len() {
        1 => Ok(()),
        _ => Err(SelectError { what, name: name.into(), candidates }),
    }
}
