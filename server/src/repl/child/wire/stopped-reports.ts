/** The main thread's reports about interrupted evaluations and what they had open, kept until they are asked for. */

export interface StoppedReport {
  /** The names of the things that were ended. */
  readonly text: string;
  /** The same as `waits` and `loading` of a result. */
  readonly waits: number | undefined;
  readonly loading: readonly string[];
}

export interface StoppedReports {
  /** Adds a report. One evaluation may have several reports: each names what was ended since the report before. */
  readonly tell: (id: number, news: StoppedReport) => void;
  /** Drops the reports so far, which are about an earlier interrupt. */
  readonly forget: (id: number) => void;
  /**
   * Undefined when no report came in `ms` milliseconds: the main thread is not free, or the termination also ended the
   * report.
   */
  readonly of: (id: number, ms: number) => Promise<StoppedReport | undefined>;
}

const MAX_KEPT = 100;

export function createStoppedReports(): StoppedReports {
  const told = new Map<number, StoppedReport>();
  const waiting = new Map<number, () => void>();
  return {
    tell: (id, { text, ...news }) => {
      const known = told.get(id)?.text ?? "";
      if (told.size > MAX_KEPT) told.clear();
      told.set(id, { ...news, text: known === "" || text === "" ? known + text : `${known}, ${text}` });
      waiting.get(id)?.();
    },
    forget: (id) => void told.delete(id),
    of: async (id, ms) => {
      if (!told.has(id)) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        waiting.set(id, resolve);
        await promise;
        clearTimeout(timer);
        waiting.delete(id);
      }
      const news = told.get(id);
      told.delete(id);
      return news;
    },
  };
}
