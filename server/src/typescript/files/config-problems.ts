/** What is wrong with the configurations that were loaded: an answer from such a project may lack something. */
import type { DisplayPaths } from "./display-paths.ts";
import { isSolution } from "./project-configs.ts";
import type { ProgramView } from "../view.ts";
import { mapLimited } from "../yielding.ts";

const MAX_TEXTS = 4;
/**
 * "No inputs were found": 7.0.2 reports the state at which it read the tsconfig, whatever files came and went since.
 */
const NOTHING_INCLUDED = 18_003;

/**
 * One sentence a project, by its tsconfig. Asked for with every state: whether a pattern finds a file, and whether all files
 * stand where the options want them, changes with the files too.
 */
export async function configProblems(
  programs: readonly ProgramView[],
  paths: DisplayPaths,
): Promise<ReadonlyMap<string, string>> {
  const notes = await mapLimited(programs, async ({ name, configFile, project }): Promise<[string, string][]> => {
    if (configFile === undefined) return [];
    const { program } = project;
    const found = await Promise.all([program.getConfigFileParsingDiagnostics(), program.getProgramDiagnostics()]);
    const known = found.flat().filter(({ code }) => code !== NOTHING_INCLUDED);
    const texts = known.map(({ code, text }) => `TS${code} ${paths.showIn(text)}`);
    if (project.rootFiles.length === 0 && !isSolution(configFile)) texts.push("It includes no file that is there.");
    const all = [...new Set(texts)].toSorted();
    if (all.length === 0) return [];
    const more = all.length > MAX_TEXTS ? [`And ${all.length - MAX_TEXTS} more.`] : [];
    const told = [...all.slice(0, MAX_TEXTS), ...more].join(" ");
    return [[configFile, `${name} has errors, so answers may be incomplete: ${told}`]];
  });
  return new Map(notes.flat());
}
