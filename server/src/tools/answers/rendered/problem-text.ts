/** The compiler's errors and warnings, one by one: as text for a model, and as data for programs. */
import { pathToFileURL } from "node:url";
import type { DiagnosticLine } from "../../../protocol/shapes.ts";
import { positionsIn, type Problem } from "../../../typescript/shapes/diagnostics.ts";
import type { LspPosition } from "../../../typescript/places.ts";
import type { View } from "../../../typescript/view.ts";
import { cut } from "../grouped-lines.ts";
import { plural } from "../../../base/plural.ts";

const MAX_CHAIN = 12;
const MAX_RELATED = 4;
const MAX_MESSAGE = 700;

type Positions = (offset: number) => LspPosition;

/** By file. */
type PositionsIn = ReadonlyMap<string, Positions>;

export async function positionsOf(view: View, problems: readonly Problem[]): Promise<PositionsIn> {
  const files = new Set(problems.flatMap(({ file, related }) => [file, ...related.map((each) => each.file)]));
  const positions = new Map<string, Positions>();
  for (const file of files) {
    const found = file === undefined ? undefined : await positionsIn(view, file);
    if (file !== undefined && found !== undefined) positions.set(file, found);
  }
  return positions;
}

/** Advice is given once: a text that was shown before is shown again with its first sentence only. */
export function entryTexts(view: View, problems: readonly Problem[], positions: PositionsIn): string[] {
  const said = new Set<string>();
  const once = (text: string): string => {
    const [first] = /^.*?\.(?= )/s.exec(text) ?? [];
    const isSaid = said.has(text);
    said.add(text);
    return isSaid && first !== undefined ? `${first} …` : text;
  };
  return problems.map((problem) => {
    const related = problem.related.map((each) => ({ ...each, text: once(each.text) }));
    return entryText(view, { ...problem, message: once(problem.message), related }, positions);
  });
}

function entryText(view: View, problem: Problem, positions: PositionsIn): string {
  const at = (file: string | undefined, offset: number): string => {
    const found = file === undefined ? undefined : positions.get(file)?.(offset);
    return found === undefined ? "" : `${found.line + 1}:${found.character + 1}`;
  };
  const place = at(problem.file, problem.start);
  const head = `  ${place === "" ? "" : `${place} `}${problem.severity} TS${problem.code}: ${messageText(view, problem.message)}`;
  const chain = problem.chain
    .slice(0, MAX_CHAIN)
    .map(({ depth, text }) => `${"  ".repeat(depth + 3)}${messageText(view, text)}`);
  const hidden = problem.chain.length - chain.length;
  const more = hidden > 0 ? [`      … and ${plural(hidden, "more line")} of reasons`] : [];
  const related = problem.related.slice(0, MAX_RELATED).map(({ file, start, text }) => {
    const where = at(file, start);
    // Under the file's own heading its place is enough.
    const isSame = file === problem.file && where !== "";
    return `      see ${isSame ? where : view.paths.show(file) + (where && `:${where}`)}: ${messageText(view, text)}`;
  });
  const others = problem.related.length - related.length;
  return [
    head,
    ...chain,
    ...more,
    ...related,
    ...(others > 0 ? [`      … and ${plural(others, "more related place")}`] : []),
  ].join("\n");
}

/** Messages quote files by their absolute path. */
function messageText(view: View, text: string): string {
  const shown = view.paths
    .showIn(text)
    .replace(/(["'`])(\/[^"'`\n]+|[A-Za-z]:[/\\][^"'`\n]+)\1/g, (_match, quote: string, path: string) => {
      return `${quote}${view.paths.show(path)}${quote}`;
    });
  return cut(shown, MAX_MESSAGE);
}

/** The same as data. */
export function diagnosticOf(view: View, problem: Problem, positions: PositionsIn): DiagnosticLine {
  const { file, start, end, severity, code, message } = problem;
  const positionAt = file === undefined ? undefined : positions.get(file);
  const [from, to] = [positionAt?.(start), positionAt?.(end)];
  return {
    ...(file === undefined ? {} : { uri: pathToFileURL(file).href }),
    ...(from === undefined || to === undefined ? {} : { range: { start: from, end: to } }),
    severity: severity === "suggestion" ? "hint" : severity,
    code: `TS${code}`,
    message: messageText(view, message),
  };
}
