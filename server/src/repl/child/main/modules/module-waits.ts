/** Knows the modules that wait at their top level: a form that is stopped during an import can name them. */
import { shieldedMap } from "../../shared/captured.ts";

export interface ModuleWaits {
  /** A module that may wait begins to run. */
  readonly begin: (url: string) => void;
  /** The module has run to its end. */
  readonly ran: (url: string) => void;
  /** Loads something for that evaluation. A module that fails to load no longer waits. */
  readonly during: <T>(id: number, load: () => Promise<T>) => Promise<T>;
  /** The evaluation goes on without waiting for the load. */
  readonly goOn: (id: number) => void;
  /** The modules that may delay the loads of this evaluation; empty when it loads nothing. */
  readonly of: (id: number) => readonly string[];
}

/** `currentId`: the evaluation whose import runs the module. */
export function createModuleWaits(currentId: () => number): ModuleWaits {
  /** The waiting modules, with the evaluation during which each began. */
  const waiting = shieldedMap<string, number>();
  const loads = shieldedMap<number, number>();
  const count = (id: number, by: number): void => {
    const now = (loads.get(id) ?? 0) + by;
    if (now > 0) loads.set(id, now);
    else loads.delete(id);
  };
  return {
    begin: (url) => void waiting.set(url, currentId()),
    ran: (url) => void waiting.delete(url),
    during: async (id, load) => {
      count(id, 1);
      try {
        return await load();
      } catch (error) {
        waiting.forEach((by, url) => {
          if (by === id) waiting.delete(url);
        });
        throw error;
      } finally {
        count(id, -1);
      }
    },
    goOn: (id) => void loads.delete(id),
    of: (id) => {
      const urls: string[] = [];
      if (loads.has(id)) waiting.forEach((_, url) => (urls[urls.length] = url));
      return urls;
    },
  };
}
