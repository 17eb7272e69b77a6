/**
 * Node is started without its own printing of warnings, which nobody would see. Here each warning becomes output of the
 * evaluation that caused it, once. Warnings about the image's own code are left out.
 */
import { captured, uncurried } from "../../shared/captured.ts";

interface Warning {
  readonly name: unknown;
  readonly message: unknown;
  readonly code?: unknown;
  readonly detail?: unknown;
}

/** Warnings about the image's own way of loading modules, which some versions of Node regard as experimental. */
const OURS = [
  "Type Stripping",
  "Importing JSON modules",
  "is loading ES Module",
  "registerHooks",
  "stripTypeScriptTypes",
];

/** Contract: call it after the output is routed, and before user code runs. */
export function tellWarnings(currentId: () => number): void {
  const write = process.stderr.write.bind(process.stderr);
  process.on("warning", (warning: Warning) => {
    const name = textOf(warning.name);
    const message = textOf(warning.message);
    if (isOurs(name, message, currentId())) return;
    const code = typeof warning.code === "string" ? `[${warning.code}] ` : "";
    const detail = typeof warning.detail === "string" ? `${warning.detail}\n` : "";
    write(`${code}${name}: ${message}\n${detail}`);
  });
}

function isOurs(name: string, message: string, id: number): boolean {
  if (name !== "ExperimentalWarning" && name !== "SecurityWarning") return false;
  if (id === 0) return true;
  for (let index = 0; index < OURS.length; index++) {
    if (uncurried.includes(message, OURS[index] as string)) return true;
  }
  return false;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : captured.String(value);
}
