/**
 * Which of the editor's buffers may be read: those of the workspace's files as the files themselves, other files' never,
 * and what is no file (a terminal, messages, a scratch buffer) when the person agrees, since it may hold anything. What bears
 * the name of a file that is nowhere, neither on the disk nor among the open documents, is no file.
 */
import { isAbsolute } from "node:path";
import { given } from "../../base/given.ts";
import type { BufferText, EditorBuffer, EditorBuffers } from "../../protocol/buffer-shapes.ts";
import { errorText } from "../../base/errors.ts";
import { closedName } from "../../workspace/secret-names.ts";
import type { PathResolution, WorkspacePath } from "../../workspace/workspace-paths.ts";
import { nearestNames } from "../../base/spelling.ts";
import { shownName } from "../files/shown-name.ts";
import { ToolFailure, type ApprovalNeed, type Tool } from "../tool.ts";
import { plural } from "../../base/plural.ts";

export interface BufferPorts {
  readonly resolvePath: (path: string) => PathResolution;
  /** Whether a file of this name is on the disk or open in the editor. */
  readonly isFile: (path: WorkspacePath) => boolean;
  /** Contract: each rejects with a sentence where the editor does not answer. */
  readonly list: (signal: AbortSignal) => Promise<EditorBuffers>;
  readonly read: (
    params: { readonly id: string; readonly start: number; readonly end: number },
    signal: AbortSignal,
  ) => Promise<BufferText>;
  /** Why the editor tells of no buffers, or undefined when it does. */
  readonly unavailable: () => string | undefined;
}

export type OpenBuffer = EditorBuffer & {
  readonly access: "workspace" | "asked" | "closed";
  /** A file of the workspace by its path, anything else by the editor's name. */
  readonly shown: string;
};

const CLOSED = "a buffer of a file outside of the workspace, or of one that may hold secrets; it is never read";
const WHY = "the buffer is no file of the workspace, so it may hold anything";
const MAX_NAMED = 12;

export async function openBuffers(ports: BufferPorts, signal: AbortSignal): Promise<OpenBuffer[]> {
  const { buffers } = await answerOf(ports.list(signal));
  return buffers.map((buffer) => judged(ports, buffer));
}

/** Reads lines of the buffer, `end` exclusive. A `ToolFailure` when it is another buffer by now. */
export async function bufferText(
  ports: BufferPorts,
  buffer: OpenBuffer,
  [start, end]: readonly [start: number, end: number],
  signal: AbortSignal,
): Promise<BufferText> {
  const text = await answerOf(ports.read({ id: buffer.id, start, end }, signal));
  const now = judged(ports, text.buffer);
  // Between the question and the answer another text may have come under that name, or another name to that text.
  if (now.access !== buffer.access || now.name !== buffer.name || now.uri !== buffer.uri) {
    throw new ToolFailure(`${shownName(buffer.shown)} has become another buffer; list the buffers again.`);
  }
  return text;
}

/** The buffer of that name; without a name the one that the person is in. Throws a `ToolFailure` where there is none. */
export function bufferNamed(buffers: readonly OpenBuffer[], name: string | undefined): OpenBuffer {
  if (name === undefined || name.trim() === "") {
    const current = buffers.find(({ isCurrent }) => isCurrent === true);
    if (current === undefined) throw new ToolFailure(`The person is in no buffer that can be told. ${named(buffers)}`);
    return current;
  }
  const wanted = name.trim();
  const exact = buffers.find((each) => [each.shown, each.name, each.id].includes(wanted));
  if (exact !== undefined) return exact;
  const alike = buffers.filter(
    ({ shown, access }) => access !== "closed" && shown.toLowerCase().includes(wanted.toLowerCase()),
  );
  const [only] = alike;
  if (only !== undefined && alike.length === 1 && wanted !== "") return only;
  const nearest = nearestNames(wanted, open(buffers), MAX_NAMED);
  const shown = alike.length > 0 ? alike.map((each) => each.shown) : nearest;
  const hint =
    shown.length === 0 ? named(buffers) : `Did you mean ${shown.slice(0, MAX_NAMED).map(shownName).join(" or ")}?`;
  throw new ToolFailure(`No buffer is called ${shownName(name)}. ${hint}`);
}

/**
 * What a call that reads a buffer needs. `use` reads the buffer that is meant now: the one the person is in may be another
 * when they have answered.
 */
export async function readingNeed(
  ports: BufferPorts,
  name: string | undefined,
  signal: AbortSignal,
  use: (buffer: OpenBuffer) => Tool["run"],
): Promise<ApprovalNeed> {
  try {
    const buffer = bufferNamed(await openBuffers(ports, signal), name);
    refuseClosed(buffer);
    const run = use(buffer);
    if (buffer.access === "workspace") return { ask: false, run };
    return { ask: true, because: WHY, about: { buffer: rememberedName(buffer) }, run };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { ask: false, run: () => Promise.reject(error) };
  }
}

export function refuseClosed({ access, name }: OpenBuffer): void {
  if (access === "closed") throw new ToolFailure(`${shownName(name.split(/[\\/]/).at(-1) ?? "")} is ${CLOSED}.`);
}

/** Unnamed buffers get the same names in every editor, and an approval that is remembered must not mean all of them. */
const THIS_RUN = Date.now().toString(36);

function rememberedName({ name, shown }: OpenBuffer): string {
  return /^\[?no name/iu.test(name) || name === "" ? `${shown} (run ${THIS_RUN})` : shown;
}

function judged({ resolvePath, isFile }: BufferPorts, buffer: EditorBuffer): OpenBuffer {
  if (buffer.uri !== undefined) {
    const resolution = buffer.uri.startsWith("file:") ? resolvePath(buffer.uri) : undefined;
    if (resolution?.ok !== true) return { ...buffer, access: "closed", shown: "" };
    const access = isFile(resolution.path) ? "workspace" : "asked";
    return { ...buffer, access, shown: resolution.path.relative || "." };
  }
  const isClosed = isAbsolute(buffer.name)
    ? !resolvePath(buffer.name).ok
    : closedName(buffer.name.split(/[\\/:\s<>*]+/u)) !== undefined;
  return { ...buffer, access: isClosed ? "closed" : "asked", shown: isClosed ? "" : buffer.name };
}

function open(buffers: readonly OpenBuffer[]): string[] {
  return buffers.filter(({ access }) => access !== "closed").map(({ shown }) => shown);
}

function named(buffers: readonly OpenBuffer[]): string {
  const names = open(buffers).map(shownName);
  const more = names.length - MAX_NAMED;
  return `Buffers: ${names.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

async function answerOf<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    throw new ToolFailure(errorText(error));
  }
}

/** `typescript, version 7, unsaved, 47 lines` */
export function stateOf({ kind, lines, modified, version }: EditorBuffer & { readonly version?: number }): string {
  const { version: told } = given({ version });
  const states = [
    kind,
    ...(told === undefined ? [] : [`version ${told}`]),
    ...(modified === true ? ["unsaved changes"] : []),
    plural(lines, "line"),
  ];
  return states.filter((each) => each !== "").join(", ");
}
