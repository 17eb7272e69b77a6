/** The facts that can be read from a timer, or from the controller that ends a promise of node:timers/promises. */

const LASTING_MS = 1000;

/** Node's own properties of a timer. Nothing else shows that a timer was cleared or has run, nor how long it waits. */
interface Marked {
  readonly _destroyed?: boolean;
  readonly _repeat?: number | null;
  readonly _idleTimeout?: number;
  readonly hasRef?: () => boolean;
}

/* oxlint-disable no-underscore-dangle */
export function isOver(handle: unknown): boolean {
  return (handle as Marked)._destroyed === true;
}

/** Node's own servers also have timers, which do not keep the process running. */
export function keepsRunning(handle: unknown): boolean {
  return isController(handle) || (!isOver(handle) && (handle as Marked).hasRef?.() === true);
}

export function repeatOf(handle: unknown): number | undefined {
  return (handle as Marked)._repeat ?? undefined;
}

export function isLasting(handle: unknown): boolean {
  if (isController(handle) || !keepsRunning(handle)) return false;
  const { _idleTimeout = 0 } = handle as Marked;
  return repeatOf(handle) !== undefined || _idleTimeout >= LASTING_MS;
}
/* oxlint-enable no-underscore-dangle */

export function isController(handle: unknown): handle is AbortController {
  return typeof (handle as Partial<AbortController>).abort === "function";
}
