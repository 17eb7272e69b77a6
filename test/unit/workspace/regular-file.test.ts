import { execFileSync } from "node:child_process";
import { createServer, type Server } from "node:net";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  FileError,
  readRegularBytes,
  readRegularText,
  readRegularTextSync,
  type ReadTextOptions,
} from "../../../server/src/workspace/regular-file.ts";

let folder: string;
let listening: Server;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-regular-")));
  write("text.ts", "const a = 1;\n");
  write("marked.ts", "\uFEFFconst a = 1;\n");
  write("latin.ts", Buffer.from("// caf\nconst a = 'caf\xE9';\n", "latin1"));
  write("wide.ts", Buffer.from("\uFEFFconst a = 1;\n", "utf16le"));
  write("halves.ts", Buffer.from([0x61, 0x0a, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]));
  write("picture.ts", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 255]));
  write("long.ts", "x".repeat(100_000));
  mkdirSync(path.join(folder, "sub"));
  symlinkSync("round", path.join(folder, "round"));
  execFileSync("mkfifo", [path.join(folder, "pipe")]);
  listening = createServer().listen(path.join(folder, "socket"));
});

afterAll(() => {
  listening.close();
  rmSync(folder, { recursive: true });
});

function write(name: string, content: string | Buffer): void {
  writeFileSync(path.join(folder, name), content);
}

/** What both ways to read say: they must agree. */
async function said(name: string, options: ReadTextOptions = {}): Promise<string> {
  const file = name.startsWith("/") ? name : path.join(folder, name);
  const told = { shown: name, ...options };
  const later = await readRegularText(file, told).catch((error: unknown) => error);
  let now: unknown;
  try {
    now = readRegularTextSync(file, told);
  } catch (error) {
    now = error;
  }
  expect(String(now)).toBe(String(later));
  expect(later instanceof FileError).toBe(now instanceof FileError);
  return later instanceof FileError ? later.message : String(later);
}

describe("reading a file that somebody named", () => {
  it("gives the text, without the byte order mark that editors keep to themselves", async () => {
    expect(await said("text.ts")).toBe("const a = 1;\n");
    expect(await said("marked.ts")).toBe("const a = 1;\n");
    expect((await readRegularBytes(path.join(folder, "marked.ts"))).length).toBe(16);
  });

  it.each([
    ["missing.ts", "missing.ts does not exist."],
    ["sub", "sub is a folder, not a file."],
    ["text.ts/more.ts", "text.ts/more.ts cannot be there: a part of its path is a file."],
    ["round", "round is a link that leads back to itself."],
    ["pipe", "pipe is a named pipe, not a regular file."],
    ["socket", "socket is a socket, not a regular file."],
    ["/dev/zero", "/dev/zero is a device, not a regular file."],
    ["picture.ts", "picture.ts is a binary file."],
    ["wide.ts", "wide.ts is UTF-16 text, and only UTF-8 is read from disk."],
    ["latin.ts", "latin.ts is not UTF-8 text (line 2 has bytes that are none), and only UTF-8 is read from disk."],
    ["halves.ts", "halves.ts is not UTF-8 text (line 2 has bytes that are none), and only UTF-8 is read from disk."],
  ])("says of %s: %s", async (name, sentence) => {
    expect(await said(name)).toBe(sentence);
  });

  it("stops at the limit, also in a file that the system gives no size", async () => {
    expect(await said("long.ts", { limit: 99_999 })).toContain("long.ts is larger than 97 kB");
    expect(await said("long.ts", { limit: 100_000 })).toHaveLength(100_000);
    if (process.platform !== "linux") return;
    expect(await said("/proc/version")).toMatch(/^Linux/);
    expect(await said("/proc/version", { limit: 5 })).toContain("is larger");
  });

  it("reads a source of another encoding as the compiler does, where it is asked to", async () => {
    expect(await said("latin.ts", { lossy: true })).toContain("caf\uFFFD");
  });

  it("leaves the threads that read files free, however many named pipes are asked for", async () => {
    const pipe = path.join(folder, "pipe");
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => readRegularText(pipe)));
    expect(asked.every(({ status }) => status === "rejected")).toBe(true);
    expect(await said("text.ts")).toBe("const a = 1;\n");
  });
});
