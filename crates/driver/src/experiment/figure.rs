//! What is counted and measured, and how it is written.

use serde::{Deserialize, Serialize};
use serde_json::Value;

macro_rules! figures {
    ($($(#[doc = $doc:literal])* $variant:ident = $word:literal, $title:literal, $unit:ident, $from:expr;)*) => {
        /// A number that a run gives.
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Figure { $($(#[doc = $doc])* $variant,)* }

        impl Figure {
            /// Every figure.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in manifests and files.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The heading of a column.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            const fn unit(self) -> Unit {
                match self { $(Self::$variant => Unit::$unit,)* }
            }

            /// Where the JSON result of a command has it; computed figures are nowhere.
            const fn pointer(self) -> Option<&'static str> {
                match self { $(Self::$variant => $from,)* }
            }
        }
    };
}

figures! {
    /// Paths executed.
    Paths = "paths", "paths", Count, Some("/statistics/paths");
    /// Paths known to be infeasible.
    Infeasible = "infeasible", "infeasible", Count, Some("/totals/infeasible");
    /// Epochs.
    Epochs = "epochs", "epochs", Count, Some("/totals/epochs");
    /// Schedules in all epochs.
    Schedules = "schedules", "schedules", Count, Some("/totals/schedules");
    /// Fewest schedules of an epoch.
    SchedulesMin = "schedules-min", "min", Count, Some("/totals/schedules_per_epoch/min");
    /// Most schedules of an epoch.
    SchedulesMax = "schedules-max", "max", Count, Some("/totals/schedules_per_epoch/max");
    /// Schedules of an epoch on average.
    SchedulesAvg = "schedules-avg", "avg", Mean, Some("/totals/schedules_per_epoch/avg");
    /// Schedules that were found and then shown to be infeasible.
    InfeasibleRemoved = "infeasible-removed", "removed", Count, Some("/totals/infeasible_removed");
    /// Places at which epochs end.
    EpochMarkers = "epoch-markers", "markers", Count, Some("/totals/epoch_markers");
    /// Most threads that live at a time.
    MaxLiveThreads = "max-live-threads", "live threads", Count, Some("/totals/max_live_threads");
    /// Schedules that end in a deadlock.
    Deadlocked = "deadlocked", "deadlocked", Count, Some("/totals/deadlocked");
    /// Instructions executed.
    Instructions = "instructions", "instructions", Count, Some("/statistics/instructions");
    /// Wall-clock time.
    Seconds = "seconds", "s", Seconds, Some("/statistics/seconds");
    /// Time in the solver.
    SolverSeconds = "solver-seconds", "solver s", Seconds, Some("/statistics/solver_seconds");
    /// Questions that reached the solver.
    SolverQueries = "solver-queries", "queries", Count, Some("/statistics/solver_queries");
    /// Peak memory.
    PeakMib = "peak-mib", "MiB", Count, Some("/statistics/peak_mib");
    /// Instructions by seconds.
    InstructionsPerSecond = "instructions-per-second", "instr/s", Count, None;
    /// Time in the solver by time.
    SolverShare = "solver-share", "in solver", Share, None;
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Unit {
    Count,
    Mean,
    Seconds,
    Share,
}

impl Figure {
    /// The figure of this name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|figure| figure.word() == word)
    }

    /// The figure in the JSON result of a command, if it has it.
    pub(super) fn read(self, result: &Value) -> Option<f64> {
        let has = |figure: Self| result.pointer(figure.pointer()?)?.as_f64();
        match self {
            Self::InstructionsPerSecond => quotient(has(Self::Instructions)?, has(Self::Seconds)?),
            Self::SolverShare => quotient(has(Self::SolverSeconds)?, has(Self::Seconds)?),
            _ => has(self),
        }
    }

    /// Whether a complete result may say something else than an incomplete one, beside having taken longer.
    pub(super) const fn is_found(self) -> bool {
        match self {
            Self::Paths
            | Self::Infeasible
            | Self::Epochs
            | Self::Schedules
            | Self::SchedulesMin
            | Self::SchedulesMax
            | Self::SchedulesAvg
            | Self::InfeasibleRemoved
            | Self::MaxLiveThreads
            | Self::Deadlocked => true,
            Self::EpochMarkers
            | Self::Instructions
            | Self::Seconds
            | Self::SolverSeconds
            | Self::SolverQueries
            | Self::PeakMib
            | Self::InstructionsPerSecond
            | Self::SolverShare => false,
        }
    }

    /// A value for readers.
    pub(super) fn show(self, value: f64) -> String {
        match self.unit() {
            Unit::Count => format!("{value:.0}"),
            Unit::Mean => format!("{value:.1}"),
            Unit::Seconds => format!("{value:.2}"),
            Unit::Share => format!("{:.0}%", value * 100.0),
        }
    }
}

fn quotient(dividend: f64, divisor: f64) -> Option<f64> {
    (divisor > 0.0).then(|| dividend / divisor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_files_say() {
        for &figure in Figure::ALL {
            assert_eq!(serde_json::to_value(figure).expect("a unit variant"), figure.word());
            assert_eq!(Figure::from_word(figure.word()), Some(figure));
        }
        assert_eq!(Figure::from_word("path"), None);
    }

    #[test]
    fn read_and_computed() {
        let result = serde_json::json!({
            "totals": {"schedules": 3, "infeasible": null, "schedules_per_epoch": {"min": 1, "max": 2, "avg": 1.5}},
            "statistics": {"instructions": 1000, "seconds": 0.5, "solver_seconds": 0.125},
        });
        assert_eq!(Figure::Schedules.read(&result), Some(3.0));
        assert_eq!(Figure::Infeasible.read(&result), None);
        assert_eq!(Figure::SchedulesAvg.read(&result).map(|avg| Figure::SchedulesAvg.show(avg)), Some("1.5".into()));
        assert_eq!(Figure::InstructionsPerSecond.read(&result), Some(2000.0));
        assert_eq!(Figure::SolverShare.read(&result).map(|share| Figure::SolverShare.show(share)), Some("25%".into()));
        let at_once = serde_json::json!({"statistics": {"instructions": 0, "seconds": 0.0}});
        assert_eq!(Figure::InstructionsPerSecond.read(&at_once), None);
    }
}
