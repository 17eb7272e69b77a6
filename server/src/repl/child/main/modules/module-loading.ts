/**
 * Waits until a form can run in a module: until the module is loaded, or has begun and not finished within a few turns.
 */
import { captured } from "../../shared/captured.ts";
import { soon } from "../../shared/immediates.ts";
import type { ScopeEntry } from "./scope-entry.ts";
import type { ModuleAccess } from "./module-access.ts";
import type { ModuleScopes } from "./module-scopes.ts";

const TURNS = 3;

/**
 * A module that awaits at its top level, perhaps for ever, already has a scope. The error of a module that failed
 * becomes the error of the form that wants to run in it. A dependency has no scope before it is entered.
 */
export function createReady(
  imp: ModuleAccess["imp"],
  scopes: Pick<ModuleScopes, "meta">,
  enter: ScopeEntry["enter"],
  /** Called when the form begins in a module that has not run to its end. */
  onEarly: () => void,
): (url: string) => Promise<void> {
  const turn = (): Promise<void> => new captured.Promise(soon);
  return async (url) => {
    const loading = imp(url);
    if (scopes.meta(url) === undefined) {
      const namespace = await loading;
      if (scopes.meta(url) !== undefined || (await enter(url, namespace))) return;
      const name = url.slice(url.lastIndexOf("/node_modules/") + 1);
      throw new captured.Error(
        `The inside of ${name} is not reachable: packages run as they are, and none of the functions that it exports ` +
          "could be entered. Work with what it exports.",
      );
    }
    let isSettled = false;
    const settled = (async () => {
      try {
        await loading;
      } finally {
        isSettled = true;
      }
    })();
    // When nobody waits for the promise, its rejection must not be reported as unhandled.
    settled.catch(() => {});
    for (let count = 0; count < TURNS; count++) {
      if (isSettled) break;
      await turn();
    }
    if (isSettled) await settled;
    else onEarly();
  };
}
