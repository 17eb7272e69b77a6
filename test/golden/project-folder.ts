/** The folder of a project on the disk, and what other programs than the editor do to it. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** As LSP numbers them: created, changed, deleted. */
type FileChange = readonly [name: string, type: 1 | 2 | 3];

export class ProjectFolder {
  readonly folder: string;
  /** Tells the server, as an editor's watcher does. Before the server runs there is nobody to tell. */
  protected notify: ((method: string, params: object) => Promise<void>) | undefined;

  constructor(folder: string) {
    this.folder = folder;
  }

  uri(name: string): string {
    return pathToFileURL(path.join(this.folder, name)).href;
  }

  nameOf(uri: string): string {
    return path.relative(this.folder, fileURLToPath(uri));
  }

  // Another program

  write(name: string, text: string): void {
    const file = path.join(this.folder, name);
    const isNew = !existsSync(file);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    this.tellOfFiles([name, isNew ? 1 : 2]);
  }

  /** Replaces a text in a file. */
  rewrite(name: string, old: string, text: string): void {
    const now = this.disk(name) ?? "";
    if (!now.includes(old)) throw new Error(`${name} does not contain ${old}`);
    this.write(
      name,
      now.replace(old, () => text),
    );
  }

  /** The editor's watcher tells of a file that something else has written. */
  noticed(name: string): void {
    this.tellOfFiles([name, 2]);
  }

  remove(name: string): void {
    rmSync(path.join(this.folder, name));
    this.tellOfFiles([name, 3]);
  }

  git(...args: readonly string[]): string {
    const env = { PATH: process.env["PATH"] ?? "", HOME: this.folder, GIT_CONFIG_NOSYSTEM: "1" };
    const who = ["-c", "user.name=t", "-c", "user.email=t@t"];
    return execFileSync("git", [...who, ...args], { cwd: this.folder, env, encoding: "utf8" }).trim();
  }

  tellOfFiles(...changes: readonly FileChange[]): void {
    const told = changes.map(([name, type]) => ({ uri: this.uri(name), type }));
    void this.notify?.("workspace/didChangeWatchedFiles", { changes: told });
  }

  disk(name: string): string | undefined {
    const file = path.join(this.folder, name);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  /** All texts, by path below the project. */
  files(): Map<string, string> {
    const names = readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes("/.git"))
      .map((entry) => path.relative(this.folder, path.join(entry.parentPath, entry.name)));
    return new Map(names.map((name) => [name, this.disk(name) ?? ""]));
  }
}
