/**
 * What a walled program sees of a repository: what git needs to tell of files, commits and branches. All else that lies there is
 * kept back, since nobody can say what programs and people leave beside git's own: cookies, settings that are included, copies.
 */
import { existsSync, readdirSync, writeFileSync, type Dirent } from "node:fs";
import { basename, dirname, join } from "node:path";
import { askGitForNames } from "../../process/git-names.ts";
import { linkStatsOf } from "../../workspace/file-names.ts";
import { readRegularTextSync } from "../../workspace/regular-file.ts";
import type { Layer } from "../layer/layer.ts";
import type { Mount } from "../wall/view.ts";

const SHOWN =
  /^(?:HEAD|\w+_HEAD|MERGE_(?:MSG|MODE|RR)|AUTO_MERGE|SQUASH_MSG|\w+_EDITMSG|BISECT_\w+|description|index(?:\.lock)?|sharedindex\..+|packed-refs|shallow|gitdir|commondir|locked|objects|refs|reftable|rr-cache)$/;
/** By folder, the names that are git's own, where people and programs leave other things too. */
const SHOWN_IN: Readonly<Record<string, RegExp | undefined>> = {
  info: /^(?:exclude|attributes|sparse-checkout|refs|grafts)$/,
  lfs: /^objects$/,
};
/** Folders of texts in which git notes what was typed. */
const NOTES = /^(?:logs|rebase-\w+|sequencer)$/;
/** Texts in which git notes where something came from. */
const SAYINGS = /^(?:FETCH_HEAD|description|\w+_(?:MSG|EDITMSG))$/;
const SETTINGS = /^config(?:\.worktree)?$/;

/** By the name of a setting in small letters, without its subsection. */
const SHOWN_SETTINGS = new RegExp(
  `^(?:${[
    String.raw`core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|symlinks|ignorecase|precomposeunicode|autocrlf|eol|safecrlf`,
    String.raw`|quotepath|worktree|sparsecheckout|sparsecheckoutcone|longpaths|excludesfile|attributesfile|hookspath|abbrev|whitespace)`,
    String.raw`|extensions\.\w+|user\.(?:name|email)|init\.defaultbranch`,
    String.raw`|remote\.(?:url|pushurl|fetch|push|mirror|tagopt|prune|promisor|partialclonefilter)`,
    String.raw`|branch\.(?:remote|pushremote|merge|rebase)|submodule\.(?:url|path|update|branch|active|ignore|recurse)`,
    String.raw`|(?:diff|merge)\.(?:renames|algorithm|conflictstyle|ff|noprefix|mnemonicprefix)|pull\.(?:rebase|ff)|push\.default`,
    String.raw`|(?:status|log|column|color)\.\w+`,
  ].join("")})$`,
);

const MOST_NOTES = 2_000;
const LIMIT_MS = 5_000;

/** Whether the listing names a file that only folders of git's own have: its folder is one, whatever it is called. */
export function gitFolders(files: readonly string[], folder: string): string[] {
  const found = new Set(
    files.flatMap((file) =>
      /(?:^|\/)(?:HEAD|commondir|config[^/]*)$/.test(file) ? [join(folder, dirname(file))] : [],
    ),
  );
  return [...found].filter(isGitFolder);
}

function isGitFolder(folder: string): boolean {
  return basename(folder) === ".git" || ["HEAD", "objects", "refs"].every((name) => existsSync(join(folder, name)));
}

export class GitPlaces {
  readonly #layer: Pick<Layer, "folder" | "empty">;
  readonly #signal: AbortSignal;
  #count = 0;

  constructor(layer: Pick<Layer, "folder" | "empty">, signal: AbortSignal) {
    this.#layer = layer;
    this.#signal = signal;
  }

  /** What lies over such a folder, and over those of its submodules and worktrees. */
  async masks(folder: string): Promise<Mount[]> {
    const mounts: Mount[] = [];
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      const shown = SHOWN_IN[entry.name];
      const isSeveral = entry.isDirectory() && (entry.name === "modules" || entry.name === "worktrees");
      if (isSeveral) mounts.push(...(await this.#inside(path)));
      else if (shown !== undefined && entry.isDirectory()) mounts.push(...this.#without(path, shown));
      else if (NOTES.test(entry.name) && entry.isDirectory()) mounts.push(...this.#notes(path));
      else if (SAYINGS.test(entry.name)) mounts.push(...this.#cleaned(path));
      else if (SETTINGS.test(entry.name) && entry.isFile())
        mounts.push(this.#instead(path, await this.#settings(path)));
      else if (!SHOWN.test(entry.name)) mounts.push(...this.#nothing(path, entry));
    }
    return mounts;
  }

  /** The name of a submodule may have slashes, and so be several folders. */
  async #inside(folder: string): Promise<Mount[]> {
    const mounts: Mount[] = [];
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) mounts.push(...this.#nothing(path, entry));
      else if (existsSync(join(path, "HEAD"))) mounts.push(...(await this.masks(path)));
      else mounts.push(...(await this.#inside(path)));
    }
    return mounts;
  }

  #without(folder: string, shown: RegExp): Mount[] {
    return entriesOf(folder).flatMap((entry) =>
      shown.test(entry.name) ? [] : this.#nothing(join(folder, entry.name), entry),
    );
  }

  /** A link leads to what is kept back itself, or is not there. */
  #nothing(path: string, entry: Dirent): Mount[] {
    if (entry.isDirectory()) return [{ kind: "nothing", path }];
    return entry.isFile() ? [{ kind: "read", path, from: this.#layer.empty }] : [];
  }

  /** They tell commands such as `pull https://token@…` as they were typed. */
  #notes(folder: string): Mount[] {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    if (names.length > MOST_NOTES) return [{ kind: "nothing", path: folder }];
    return names.flatMap((name): Mount[] => {
      return this.#cleaned(join(folder, name));
    });
  }

  #cleaned(path: string): Mount[] {
    if (linkStatsOf(path)?.isFile() !== true) return [];
    const text = textOf(path);
    const cleaned = withoutUser(text);
    return cleaned === text ? [] : [this.#instead(path, cleaned)];
  }

  #instead(path: string, text: string): Mount {
    this.#count += 1;
    const from = join(this.#layer.folder, `git-${this.#count}`);
    writeFileSync(from, text);
    return { kind: "read", path, from };
  }

  /** As git reads them, so that nothing which git takes for a part of a value is taken for something else. */
  async #settings(file: string): Promise<string> {
    const lines: string[] = [];
    const args = ["config", "-z", "--list", "--no-includes", "--file", file];
    await askGitForNames({ folder: dirname(file), args, limitMs: LIMIT_MS, signal: this.#signal }, (entry) => {
      lines.push(...settingLines(entry));
    });
    return lines.map((line) => `${line}\n`).join("");
  }
}

/** `section.Sub.section.name`, a line end and the value; without a value it is true. */
function settingLines(entry: string): string[] {
  const end = entry.indexOf("\n");
  const [name, value] = end < 0 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
  const [, section = "", sub, key = ""] = /^([^.]+)(?:\.(.*))?\.([^.]+)$/s.exec(name) ?? [];
  // An address of the form `helper::…` is a command.
  if (!SHOWN_SETTINGS.test(`${section}.${key}`.toLowerCase()) || /::|[\r\n\0]/.test(value)) return [];
  if (sub !== undefined && /[\r\n\0]|:\/\//.test(sub)) return [];
  const head = sub === undefined ? `[${section}]` : `[${section} ${quoted(sub)}]`;
  return [head, `\t${key} = ${quoted(withoutUser(value))}`];
}

function quoted(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
}

/** Addresses may hold tokens: before the host, and behind a question mark. */
function withoutUser(text: string): string {
  return text.replaceAll(/(:\/\/)[^/\s]*@/g, "$1").replaceAll(/(:\/\/[^\s?#]*)[?#]\S*/g, "$1");
}

function textOf(path: string): string {
  try {
    return readRegularTextSync(path, { lossy: true });
  } catch {
    return "://@";
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
