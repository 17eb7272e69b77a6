/** The instructions that a conversation's model was given out of files, and the ones that it is still to get. */
import { dirname } from "node:path";
import { fenced } from "../base/fenced.ts";
import type { InstructionFile } from "../surroundings/instruction-files.ts";
import type { WorkspaceTexts } from "../surroundings/workspace-texts.ts";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";
import type { InstructionTrust } from "./instruction-trust.ts";

export interface InstructionPorts {
  readonly trust: InstructionTrust;
  readonly paths: Pick<WorkspacePaths, "folders" | "relative">;
  readonly texts: Pick<WorkspaceTexts, "findInstructions">;
  /** How long a prompt waits for the person's answer. */
  readonly waitMs?: number;
}

/** Tells the person. */
export type Notify = (level: "info" | "warning", message: string) => void;

const WAIT_MS = 15_000;
const MAX_FOLDERS = 200;
/** All files of a conversation together, about 8,000 tokens. */
const MAX_ALL = 32_000;

type Readable = InstructionFile & { readonly content: { readonly text: string; readonly sha256: string } };

/** What a conversation knows of such files, for a later server. */
export interface KnownInstructions {
  readonly told: readonly (readonly [path: string, sha256: string | null])[];
  readonly agreed: readonly string[];
  readonly length: number;
}

export class Instructions {
  readonly #ports: InstructionPorts;
  readonly #sessionId: string;
  /** Folders that were looked into, and those that are to be. */
  readonly #folders = new Map<string, "waits" | "seen">();
  /** By absolute path: the text that the model has, or null for a file that the model only knows to exist. */
  readonly #told = new Map<string, string | null>();
  readonly #asked = new Map<string, Promise<void> | "refused">();
  /** What the person agreed to for this conversation alone. */
  readonly #agreed = new Set<string>();
  /** Folders in which such a file was found: they are looked into before every prompt. */
  readonly #watched = new Set<string>();
  /** What was said Yes to while the model was at work. */
  readonly #late: string[] = [];
  #length = 0;

  constructor(sessionId: string, ports: InstructionPorts, known?: KnownInstructions) {
    this.#sessionId = sessionId;
    this.#ports = ports;
    for (const [path, sha256] of known?.told ?? []) this.#told.set(path, sha256);
    for (const path of known?.agreed ?? []) this.#agreed.add(path);
    this.#length = known?.length ?? 0;
  }

  known(): KnownInstructions {
    return { told: [...this.#told], agreed: [...this.#agreed], length: this.#length };
  }

  /** A tool looked at, or proposed to change, the file or folder: the instructions on the way to it are for the model too. */
  touched(absolute: string): void {
    const root = this.#ports.paths.folders().find((folder) => absolute.startsWith(`${folder}/`));
    if (root === undefined || this.#ports.trust.isOff()) return;
    const first = /\.\w+$/.test(absolute) ? dirname(absolute) : absolute;
    for (let at = first; at.length > root.length && this.#folders.size < MAX_FOLDERS; at = dirname(at)) {
      if (!this.#folders.has(at)) this.#folders.set(at, "waits");
    }
  }

  /** Before a prompt: asks about the files of the workspace folders and waits a while for the answers. */
  async takeForPrompt(notify: Notify, signal: AbortSignal): Promise<string[]> {
    if (this.#ports.trust.isOff()) return [];
    const roots = this.#ports.paths.folders();
    // Somebody may have changed what the model knows.
    for (const folder of [...roots, ...this.#watched]) this.#folders.set(folder, "waits");
    const found = await this.#filesIn(roots);
    const asked = found.flatMap((file) => this.#question(file, notify, signal) ?? []);
    if (asked.length > 0) await withinTime(Promise.all(asked), this.#ports.waitMs ?? WAIT_MS, signal);
    return this.take(notify, signal);
  }

  /** What the model is to hear now; asks, and waits for nobody. */
  async take(notify: Notify, signal: AbortSignal): Promise<string[]> {
    if (this.#ports.trust.isOff()) return [];
    const waiting = [...this.#folders].filter(([, state]) => state === "waits").map(([folder]) => folder);
    for (const folder of waiting) this.#folders.set(folder, "seen");
    const blocks = this.#late.splice(0);
    for (const file of await this.#filesIn(waiting)) blocks.push(...this.#tell(file, notify, signal));
    return blocks;
  }

  /** The instructions that the model follows, as the files are now: for a model that has lost the messages with them. */
  async again(): Promise<string[]> {
    if (this.#ports.trust.isOff()) return [];
    const given = [...this.#told].flatMap(([path, sha256]) => (sha256 === null ? [] : [path]));
    const files = await this.#filesIn([...new Set(given.map((path) => dirname(path)))]);
    this.#length = 0;
    const isFollowed = (file: Readable): boolean =>
      given.includes(file.absolute) && (this.#ports.trust.isTrusted(file) || this.#agreed.has(file.absolute));
    return files
      .filter(isReadable)
      .filter(isFollowed)
      .map((file) => this.#give(file, false, () => undefined));
  }

  async #filesIn(folders: readonly string[]): Promise<readonly InstructionFile[]> {
    const { paths, texts } = this.#ports;
    const { instructionsIn } = await import("../surroundings/instruction-files.ts");
    const found = await Promise.all(
      folders.map((folder) => instructionsIn(folder, paths.relative(folder), texts.findInstructions)),
    );
    for (const [index, folder] of folders.entries()) if ((found[index] ?? []).length > 0) this.#watched.add(folder);
    return found.flat();
  }

  #tell(file: InstructionFile, notify: Notify, signal: AbortSignal): string[] {
    const before = this.#told.get(file.absolute);
    if ("reason" in file.content) return this.#mention(file, file.content.reason);
    if (!isReadable(file)) return [];
    if (before === file.content.sha256) return [];
    const { isTrusted, changed } = this.#ports.trust.known(file);
    const isAnother = typeof before === "string";
    if (isTrusted || this.#agreed.has(file.absolute)) return [this.#give(file, isAnother || changed, notify)];
    const isOpen = this.#question(file, notify, signal) !== undefined;
    const why = isOpen ? "was asked whether you follow it and has not answered" : "did not agree that you follow it";
    return this.#mention(file, `exists; the developer ${why}`);
  }

  /** Told once: the model knows that there is such a file, and not what it says. */
  #mention(file: InstructionFile, what: string): string[] {
    if (this.#told.has(file.absolute)) return [];
    this.#told.set(file.absolute, null);
    return [`[${file.path} ${what.replace(/\.$/, "")}. It is no instruction to you.]`];
  }

  /** The open question about a file that nobody has decided on. */
  #question(file: InstructionFile, notify: Notify, signal: AbortSignal): Promise<void> | undefined {
    const { absolute } = file;
    if (!isReadable(file) || this.#agreed.has(absolute) || this.#ports.trust.isTrusted(file)) return undefined;
    const asked = this.#asked.get(absolute);
    if (asked !== undefined) return asked === "refused" ? undefined : asked;
    const answered = this.#ports.trust.ask(file, this.#sessionId, signal).then((answer) => {
      if (answer === "denied" || answer === "nobody") return void this.#asked.set(absolute, "refused");
      this.#asked.delete(absolute);
      if (answer === undefined) return;
      // What was agreed to for good is looked up each time: it can be taken back.
      if (!this.#ports.trust.isTrusted(file)) this.#agreed.add(absolute);
      this.#late.push(this.#give(file, false, notify));
    });
    this.#asked.set(absolute, answered);
    return answered;
  }

  #give(file: Readable, changed: boolean, notify: Notify): string {
    const { path, folder, content, absolute } = file;
    this.#told.set(absolute, content.sha256);
    this.#length += content.text.length;
    if (this.#length > MAX_ALL) return `[${path} is left out: this conversation has as many instructions as it takes.]`;
    if (changed) notify("warning", `${path} has changed: the agent follows the new text.`);
    else notify("info", `The agent follows ${path}.`);
    const where = folder === "" ? "" : `, for what is in ${folder}/`;
    const cut = "cutAt" in content ? ` (cut: lines 1-${String(content.cutAt)})` : "";
    return fenced(
      `Instructions of the developer, who trusts ${path}${where}${changed ? "; it has changed" : ""}${cut}:`,
      content.text,
    );
  }
}

function isReadable(file: InstructionFile): file is Readable {
  return "text" in file.content;
}

async function withinTime(work: Promise<unknown>, limitMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
