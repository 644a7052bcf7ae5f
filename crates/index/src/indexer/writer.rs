//! Changes become durable.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use store::{PageId, Timestamp};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::{Index, IndexWriter, ReloadPolicy, TantivyError};

use super::IndexError;
use super::drafter::{Changes, Step};
use crate::draft::{Room, Space};
use crate::entry::Entry;
use crate::pages;

/// What tantivy wants for a thread that has nothing to do here.
const LEAST_MEMORY: usize = 15_000_000;

/// Memory that drafts leave for later ones.
pub(super) type Spare = Arc<Mutex<Vec<Space>>>;

/// The half of an indexer that writes changes and commits them.
pub struct Writer {
    writer: IndexWriter<Entry>,
    spare: Spare,
    room: Room,
    committed: Option<u64>,
}

impl Writer {
    pub(super) fn open(index: &Index, folder: &Path) -> Result<Self, IndexError> {
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .memory_budget_per_thread(LEAST_MEMORY)
            .num_merge_threads(1)
            .build();
        let writer = index.writer_with_options(options).map_err(|error| match error {
            TantivyError::LockFailure(..) => IndexError::Locked(folder.to_owned()),
            error => IndexError::opening(folder, error),
        })?;
        writer.set_merge_policy(Box::new(merge_policy()));
        // Files of a commit that was never completed: the next one may want the same names.
        writer.garbage_collect_files().wait()?;
        let committed = index.load_metas()?.payload.and_then(|payload| payload.parse().ok());
        Ok(Self { writer, spare: Spare::default(), room: Room::default(), committed })
    }

    pub(super) fn spare(&self) -> Spare {
        Arc::clone(&self.spare)
    }

    /// Writes changes in the order in which they were made. They become part of the index with the next commit.
    pub fn write(&mut self, changes: Changes) -> Result<(), IndexError> {
        for step in changes.steps {
            match step {
                // It concerns segments that the writer knows already.
                Step::Remove(outdated) => _ = self.writer.delete_query(Box::new(outdated))?,
                Step::Segment(draft) => {
                    let (segment, space) = draft.finish(&mut self.room)?;
                    self.writer.add_segment(segment)?;
                    self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(space);
                }
            }
        }
        Ok(())
    }

    /// Makes all that was written since the last commit durable and visible, under the number of its batch. All or nothing, also
    /// after a crash.
    pub fn commit(&mut self, batch: u64) -> Result<(), IndexError> {
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(&batch.to_string());
        prepared.commit()?;
        self.committed = Some(batch);
        Ok(())
    }

    pub(super) fn committed(&self) -> Option<u64> {
        self.committed
    }

    pub(super) fn pages(&self) -> Result<impl Iterator<Item = (PageId, Timestamp)> + use<>, IndexError> {
        let reader = self.writer.index().reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(pages::all(&reader.searcher())?)
    }

    /// Ends writing once the merges under way are done; what is not committed is forgotten. Dropping the writer instead is safe
    /// where the process ends: merges go on until then, and no other may be opened beside them.
    pub fn finish(self) -> Result<(), IndexError> {
        Ok(self.writer.wait_merging_threads()?)
    }
}

/// One small segment a second: eight of a size become one four times or more as large, so that a page is copied a few
/// times in its life and there are some two dozen segments. Segments that are a third deleted are written anew.
fn merge_policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(8);
    policy.set_min_layer_size(1_000);
    policy.set_level_log_size(2.0);
    policy.set_del_docs_ratio_before_merge(0.33);
    policy
}
