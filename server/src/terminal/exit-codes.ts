/** Exit codes, which docs/terminal.md and each --help name. */
export const EXIT = { ok: 0, failed: 1, usage: 2, noModel: 3, needsYes: 4, interrupted: 130 } as const;
