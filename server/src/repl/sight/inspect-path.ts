/**
 * Reads a path inside a value as people write it, `lines[0].cents` or `byId.<3>.owner`, into the steps that the pager
 * takes.
 */
import { stepOf } from "../child/wire/value-path.ts";

/** Undefined when brackets or quotes do not close. */
export function parsePath(text: string): readonly string[] | undefined {
  const steps: string[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const match =
      /^\.?(<[^>]*>)/.exec(rest) ??
      /^\.?\[\s*(\d+)\s*\]/.exec(rest) ??
      /^\.?\[\s*("(?:[^"\\]|\\.)*")\s*\]/.exec(rest) ??
      /^\.?("(?:[^"\\]|\\.)*")/.exec(rest) ??
      /^\.?\[\s*('(?:[^'\\]|\\.)*')\s*\]/.exec(rest) ??
      /^\.?([^.[\]"'<]+)/.exec(rest);
    const [taken = "", step = ""] = match ?? [];
    if (taken === "") return undefined;
    steps.push(step.startsWith("'") ? stepOf(step.slice(1, -1).replaceAll("\\'", "'")) : step);
    rest = rest.slice(taken.length);
  }
  return steps;
}

/** The expression that reads the member; undefined for a path that is not made of plain properties. */
export function expressionOf(value: string, path: readonly string[]): string | undefined {
  let text = /^[\w$.]+$/.test(value) ? value : `(${value})`;
  for (const step of path) {
    if (/^[<#]/.test(step)) return undefined;
    const name = step.startsWith('"') ? (JSON.parse(step) as string) : step;
    text += /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  }
  return text;
}
