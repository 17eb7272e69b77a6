/**
 * Skills: folders with a SKILL.md that says how something is done, in the open format that other agents read too. A skill is a
 * slash command of the person; a model is told its name and description, and reads the text when it fits.
 */
import { opendir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { configFolder } from "../../../storage/config-folder.ts";
import type { PromptFile } from "./prompt-file.ts";
import { personFile, repositoryFile, type Found, type PromptFileParts } from "./prompt-files.ts";
import { showHiddenInPath } from "../../../workspace/hidden-characters.ts";

const TEXT = "SKILL.md";
/** Below a home folder and below a workspace folder: of all agents, and of one that many people have. */
const SHARED = [join(".agents", "skills"), join(".claude", "skills")];
const OWN = join(".agentq", "skills");
/** Of one folder. */
const MAX_SKILLS = 100;
const MAX_ENTRIES = 2_000;

/** The person's own first; of two with one name the first counts. Contract: never rejects. */
export function skillFiles(parts: PromptFileParts): () => Promise<readonly PromptFile[]> {
  const home = homedir();
  return async () => {
    const own = join(configFolder({ platform: process.platform, home, variables: parts.variables }), "skills");
    const folders = parts.paths.folders();
    const ofPerson = [own, ...SHARED.map((place) => join(home, place))];
    const ofProject = folders.flatMap((folder) => [OWN, ...SHARED].map((place) => join(folder, place)));
    const found = await Promise.all([
      ...ofPerson.map((place) => skillsIn(place, (file) => personFile(file, home, folders))),
      ...ofProject.map((place) =>
        skillsIn(place, (file, name) => repositoryFile(file, `${parts.paths.relative(place)}/${name}/${TEXT}`, parts)),
      ),
    ]);
    const byName = new Map<string, PromptFile>();
    for (const file of found.flat()) if (!byName.has(file.name)) byName.set(file.name, file);
    return [...byName.values()];
  };
}

async function skillsIn(place: string, read: (file: string, name: string) => Promise<Found>): Promise<PromptFile[]> {
  const skills = (await namesIn(place)).map(async (name): Promise<PromptFile[]> => {
    const found = await read(join(place, name, TEXT), name);
    const isSkill = !("reason" in found.content && found.content.isMissing === true);
    return isSkill ? [{ name, ...found, path: showHiddenInPath(found.path), isSkill }] : [];
  });
  return (await Promise.all(skills)).flat();
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    let count = 0;
    for await (const entry of await opendir(folder)) {
      if (!entry.isFile() && !entry.name.startsWith(".")) names.push(entry.name);
      if ((count += 1) >= MAX_ENTRIES) break;
    }
  } catch {
    // Most people and projects have no such folder.
  }
  return names.toSorted().slice(0, MAX_SKILLS);
}
