/** What the main thread says of the end of what interrupted evaluations had open, kept until it is asked for. */

export interface EndedNews {
  /** May come several times for one evaluation, with what was ended since. */
  readonly tell: (id: number, text: string) => void;
  /** What was said so far was of an earlier interrupt. */
  readonly forget: (id: number) => void;
  /** Undefined when nothing came in that time: the main thread is not free, or something ended the message with it. */
  readonly of: (id: number, ms: number) => Promise<string | undefined>;
}

const MAX_KEPT = 100;

export function createEndedNews(): EndedNews {
  const texts = new Map<number, string>();
  const waiting = new Map<number, () => void>();
  return {
    tell: (id, text) => {
      const known = texts.get(id) ?? "";
      if (texts.size > MAX_KEPT) texts.clear();
      texts.set(id, known === "" || text === "" ? known + text : `${known}, ${text}`);
      waiting.get(id)?.();
    },
    forget: (id) => void texts.delete(id),
    of: async (id, ms) => {
      if (!texts.has(id)) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        waiting.set(id, resolve);
        await promise;
        clearTimeout(timer);
        waiting.delete(id);
      }
      const text = texts.get(id);
      texts.delete(id);
      return text;
    },
  };
}
