/**
 * Reads files whose paths come from outside: of a model, a form, a stack, a configuration, a project. A named pipe, a
 * socket or a device under such a name would keep a reader waiting for ever, and an endless file would fill the memory.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { decodeStrictly } from "./utf8-text.ts";

export type FileTrouble = "missing" | "folder" | "special" | "large" | "binary" | "encoding" | "unreadable";

/** Why a file is not read. The message names the file and is a sentence for people and models. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly trouble: FileTrouble;
  /** The sentence without its subject and its full stop: "is a named pipe, not a regular file". */
  readonly finding: string;

  constructor(shown: string, trouble: FileTrouble, finding: string) {
    super(`${shown} ${finding}.`);
    this.trouble = trouble;
    this.finding = finding;
  }
}

export interface ReadOptions {
  /** The path as the person knows it, for the message; by default the path itself. */
  readonly shown?: string;
  /** How many bytes the file may have. */
  readonly limit?: number;
  /** Where the bytes are put if they fit, for a reader of thousands of files that is done with one before the next. */
  readonly scratch?: Buffer;
}

export interface ReadTextOptions extends ReadOptions {
  /** What is no UTF-8 becomes U+FFFD, as Node and the compiler read sources. Never for a text that is written back. */
  readonly lossy?: boolean;
}

const LIMIT = 32 * 1024 * 1024;
/** Opening a named pipe that nobody writes to, or a terminal, then waits for nothing. Windows has neither flag. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** The text without a byte order mark. Rejects with a `FileError`. */
export async function readRegularText(path: string, options: ReadTextOptions = {}): Promise<string> {
  return toText(await readRegularBytes(path, options), path, options);
}

/** Like `readRegularText`; throws a `FileError`. */
export function readRegularTextSync(path: string, options: ReadTextOptions = {}): string {
  return toText(readRegularBytesSync(path, options), path, options);
}

/** Rejects with a `FileError`. */
export async function readRegularBytes(path: string, options: ReadOptions = {}): Promise<Buffer> {
  const { shown = path, limit = LIMIT } = options;
  try {
    // Opening a device can do something by itself, so the path is looked at first; it may be another file by now.
    refuse(await stat(path), shown, limit);
    const handle = await open(path, OPEN_FLAGS);
    try {
      const room = new Room(refuse(await handle.stat(), shown, limit), shown, limit);
      for (;;) {
        const free = room.free();
        const { bytesRead } = await handle.read(free, 0, free.length);
        room.take(bytesRead);
        if (bytesRead === 0 || room.isWhole()) return room.bytes();
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw toFileError(error, shown);
  }
}

/** Like `readRegularBytes`; throws a `FileError`. */
export function readRegularBytesSync(path: string, options: ReadOptions = {}): Buffer {
  const { shown = path, limit = LIMIT } = options;
  try {
    refuse(statSync(path), shown, limit);
    const descriptor = openSync(path, OPEN_FLAGS);
    try {
      const room = new Room(refuse(fstatSync(descriptor), shown, limit), shown, limit, options.scratch);
      for (;;) {
        const bytesRead = readSync(descriptor, room.free());
        room.take(bytesRead);
        if (bytesRead === 0 || room.isWhole()) return room.bytes();
      }
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw toFileError(error, shown);
  }
}

/** Bytes as they arrive. What the system says of the size is a hint: files of /proc have 0, others grow. */
class Room {
  readonly #shown: string;
  readonly #limit: number;
  #buffer: Buffer;
  #used = 0;
  readonly #size: number;

  constructor(size: number, shown: string, limit: number, scratch?: Buffer) {
    this.#shown = shown;
    this.#limit = limit;
    this.#size = size;
    // One byte more, so that the end of the file is found without another buffer.
    const wanted = Math.max(size, 4_095) + 1;
    this.#buffer = scratch !== undefined && scratch.length >= wanted ? scratch : Buffer.allocUnsafe(wanted);
  }

  free(): Buffer {
    if (this.#used === this.#buffer.length) {
      this.#buffer = Buffer.concat([this.#buffer, Buffer.allocUnsafe(this.#buffer.length)]);
    }
    return this.#buffer.subarray(this.#used);
  }

  take(count: number): void {
    this.#used += count;
    if (this.#used > this.#limit) throw tooLarge(this.#shown, this.#limit);
  }

  /** Whether the file gave what it has: there was room for more, and no more came. */
  isWhole(): boolean {
    return this.#size > 0 && this.#used === this.#size;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#used);
  }
}

/** The size in bytes of what may be read. */
function refuse(stats: Stats, shown: string, limit: number): number {
  if (stats.isDirectory()) throw new FileError(shown, "folder", "is a folder, not a file");
  const kind = specialKind(stats);
  if (kind !== undefined) throw new FileError(shown, "special", `is ${kind}`);
  if (stats.size > limit) throw tooLarge(shown, limit);
  return stats.size;
}

function specialKind(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isFIFO()) return "a named pipe, not a regular file";
  if (stats.isSocket()) return "a socket, not a regular file";
  return "a device, not a regular file";
}

function tooLarge(shown: string, limit: number): FileError {
  return new FileError(shown, "large", `is larger than ${shownSize(limit)}, which is not read`);
}

function shownSize(bytes: number): string {
  const kilobytes = Math.floor(bytes / 1024);
  return kilobytes < 1024 ? `${kilobytes} kB` : `${Math.floor((kilobytes / 1024) * 100) / 100} MB`;
}

function toText(bytes: Buffer, path: string, { shown = path, lossy = false }: ReadTextOptions): string {
  const text = decodeStrictly(bytes);
  if (text.ok) return text.text;
  if (lossy) return new TextDecoder().decode(bytes);
  throw new FileError(shown, text.trouble, text.finding);
}

const FINDINGS: Readonly<Record<string, string>> = {
  EACCES: "may not be read by this user",
  EPERM: "may not be read by this user",
  ELOOP: "is a link that leads back to itself",
  ENAMETOOLONG: "has a name that is too long",
  ENOTDIR: "cannot be there: a part of its path is a file",
  ENXIO: "is a socket or a device, not a regular file",
};

function toFileError(error: unknown, shown: string): FileError {
  if (error instanceof FileError) return error;
  const { code = String(error) } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new FileError(shown, "missing", "does not exist");
  return new FileError(shown, "unreadable", FINDINGS[code] ?? `cannot be read (${code})`);
}
