/** What is wrong with the configurations that were loaded: an answer from such a project may lack something. */
import type { DisplayPaths } from "../display-paths.ts";
import { isSolution } from "./project-configs.ts";
import type { ProgramView } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

const MAX_TEXTS = 4;
/** From so many configurations on, the errors are told instead of the configurations. */
const MANY_CONFIGS = 3;
const MAX_NAMES = 3;
/**
 * Errors that take nothing from an answer. "No inputs were found": 7.0.2 reports the state at which it read the tsconfig,
 * whatever files came and went since. A package of types that is missing, and where outputs would lie: what the files
 * say of each other is the same.
 */
const HARMLESS: ReadonlySet<number> = new Set([18_003, 2688, 5011, 6059, 6307]);

export interface ConfigNotes {
  /** One sentence a project, by its tsconfig. */
  readonly byConfig: ReadonlyMap<string, string>;
  /** What an answer from all projects says: the same sentences, or one of what many have in common. */
  readonly ofAll: readonly string[];
}

interface Found {
  readonly configFile: string;
  readonly name: string;
  readonly texts: readonly string[];
}

/**
 * Asked for with every state: whether a pattern finds a file, and whether all files are where the options want them,
 * changes with the files too.
 */
export async function configProblems(programs: readonly ProgramView[], paths: DisplayPaths): Promise<ConfigNotes> {
  const found = await mapLimited(programs, async ({ name, configFile, project }): Promise<Found[]> => {
    if (configFile === undefined) return [];
    const { program } = project;
    const told = await Promise.all([program.getConfigFileParsingDiagnostics(), program.getProgramDiagnostics()]);
    const known = told.flat().filter(({ code }) => !HARMLESS.has(code));
    const texts = known.map(({ code, text }) => `TS${code} ${paths.showIn(text)}`);
    if (project.rootFiles.length === 0 && !isSolution(configFile)) texts.push("It includes no file that is there.");
    return texts.length === 0 ? [] : [{ configFile, name, texts: [...new Set(texts)].toSorted() }];
  });
  const all = found.flat();
  const sentences = all.map(({ configFile, name, texts }): [string, string] => {
    const more = texts.length > MAX_TEXTS ? [`And ${texts.length - MAX_TEXTS} more.`] : [];
    const told = [...texts.slice(0, MAX_TEXTS), ...more].join(" ");
    return [configFile, `${name} has errors, so answers may be incomplete: ${told}`];
  });
  const byConfig = new Map(sentences);
  return { byConfig, ofAll: all.length < MANY_CONFIGS ? [...byConfig.values()] : [inCommon(all)] };
}

/** The errors of many configurations, the most frequent first, each with some of those that have it. */
function inCommon(all: readonly Found[]): string {
  const each = all.flatMap(({ name, texts }) => texts.map((text) => ({ name, text })));
  const kinds = [...Map.groupBy(each, ({ text }) => text.split(" ", 1)[0])].map(([, of]) => {
    const texts = [...Map.groupBy(of, ({ text }) => text)].toSorted(([, a], [, b]) => b.length - a.length);
    return { names: [...new Set(of.map(({ name }) => name))], texts: texts.map(([text]) => text) };
  });
  const sorted = kinds.toSorted((a, b) => b.names.length - a.names.length);
  const told = sorted.slice(0, MAX_TEXTS).map(({ names, texts: [text = "", ...others] }) => {
    const shown = names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES), "…"] : names;
    const where = names.length === all.length ? "In all" : `In ${names.length} (${shown.join(", ")})`;
    return `${where}: ${text}${others.length === 0 ? "" : ` And ${others.length} like it.`}`;
  });
  const more = sorted.length > MAX_TEXTS ? ["And errors of other kinds."] : [];
  return [`${all.length} tsconfigs have errors, so answers may be incomplete.`, ...told, ...more].join(" ");
}
