/** The skills that a model may read by itself: those of the person, and those of the project that the person trusts. */
import { dirname, join, relative } from "node:path";
import { whoElseReplaces } from "../../../process/own-place.ts";
import { FileError, readRegularText } from "../../../workspace/regular-file.ts";
import { showHidden } from "../../../workspace/hidden-characters.ts";
import { existingRealPath } from "../../../workspace/real-path.ts";
import { closedName } from "../../../workspace/secret-names.ts";
import { isWithin } from "../../../workspace/within.ts";
import type { Skill, SkillText } from "../../../tools/files/use-skill.ts";
import { readPrompt, type PromptFile } from "./prompt-file.ts";
import type { PromptTrust } from "./prompt-trust.ts";

interface SkillParts {
  readonly files: () => Promise<readonly PromptFile[]>;
  readonly trust: Pick<PromptTrust, "isTrusted" | "isOff">;
}

const MAX_BYTES = 128_000;
/** As the open format has it, and nothing else that a folder may be called: the name stands in the description of a tool. */
const NAME = /^[A-Za-z0-9][\w-]{0,63}$/;

export class Skills {
  readonly #parts: SkillParts;
  #known: readonly Skill[] = [];

  constructor(parts: SkillParts) {
    this.#parts = parts;
  }

  /** As of the last `refresh`. */
  known(): readonly Skill[] {
    return this.#known;
  }

  /** Never rejects. */
  async refresh(): Promise<void> {
    const files = await this.#parts.files();
    this.#known = files.flatMap((file) => this.#told(file));
  }

  #told(file: PromptFile): Skill[] {
    const { name, absolute, path, from, content } = file;
    if ("reason" in content || (from === "repository" && this.#parts.trust.isOff())) return [];
    const prompt = readPrompt(content.text);
    if ("reason" in prompt || prompt.isForPeople) return [];
    const { body, about } = prompt;
    const isTrusted =
      from === "person" || this.#parts.trust.isTrusted({ absolute, path, body, sha256: content.sha256 });
    if (!isTrusted || !NAME.test(name)) return [];
    const read: Skill["read"] =
      from === "person"
        ? (inside) => fileOf(dirname(absolute), inside)
        : async (inside) => ({
            reason: `it is a file of the project, as others: read_file ${dirname(path)}/${inside}`,
          });
    return [{ name, about, text: body, read }];
  }
}

/** A text beside the person's SKILL.md, which names it. What the project has there is no more trusted than its other files. */
async function fileOf(folder: string, inside: string): Promise<SkillText> {
  const file = existingRealPath(join(folder, inside));
  const own = existingRealPath(folder) ?? folder;
  if (file === undefined || !isWithin(file, own)) return { reason: `the skill has no file ${inside}` };
  if (closedName(relative(own, file).split(/[/\\]/)) !== undefined) return { reason: `${inside} may hold secrets` };
  if (whoElseReplaces(file) !== undefined) return { reason: `others may write ${inside}` };
  try {
    return { text: showHidden(await readRegularText(file, { shown: inside, limit: MAX_BYTES })) };
  } catch (error) {
    return { reason: error instanceof FileError ? `${inside} ${error.finding}` : `${inside} cannot be read` };
  }
}
