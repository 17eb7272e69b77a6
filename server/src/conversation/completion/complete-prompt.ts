/** Completion in a prompt, as LSP has it: commands, files, symbols and values. */
import { TextDocument } from "vscode-languageserver-textdocument";
import type { CompletionItem, CompletionList } from "vscode-languageserver-protocol";
import type { Lazy } from "../../base/lazy.ts";
import type { EditorBuffer } from "../../protocol/buffer-shapes.ts";
import type { Repl } from "../../repl/repl.ts";
import { plainLine } from "../../workspace/plain-text.ts";
import type { SymbolNames } from "../../tools/introspection/symbol-names.ts";
import type { SlashCommand } from "../commands/command.ts";
import { fittingPaths } from "./fitting-paths.ts";
import type { ListedFiles } from "./listed-files.ts";
import { tokenAt, type Token } from "./token-at.ts";

/** Contract: each answers what it knows within about a second. */
export interface CompletionPorts {
  readonly commands: () => Promise<readonly Pick<SlashCommand, "name" | "takes" | "summary" | "completes">[]>;
  readonly files: Pick<ListedFiles, "all">;
  readonly symbolNames: () => Promise<Pick<SymbolNames, "matching">>;
  /** No process is started. */
  readonly repl: Pick<Lazy<Pick<Repl, "history" | "complete">>, "peek">;
  /** The editor's buffers. May reject. */
  readonly buffers: (signal: AbortSignal) => Promise<readonly EditorBuffer[]>;
}

interface Candidate {
  /** Without its sign. */
  readonly name: string;
  readonly detail?: string;
  readonly kind: NonNullable<CompletionItem["kind"]>;
}

/** `CompletionItemKind` of LSP. A symbol is a reference: editors put the parentheses of a call behind a function. */
const KIND = { variable: 6, keyword: 14, file: 17, reference: 18, folder: 19 } as const;
const MAX_ITEMS = 50;
const SYMBOLS = 40;
const HANDLES = 20;
const SHOWN_CODE = 60;

export async function completePrompt(
  text: string,
  position: { readonly line: number; readonly character: number },
  ports: CompletionPorts,
  signal: AbortSignal,
): Promise<CompletionList> {
  const document = TextDocument.create("agentq:", "", 0, text);
  const offset = document.offsetAt(position);
  const token = tokenAt(text, offset, await ports.commands());
  if (token === undefined) return { isIncomplete: false, items: [] };
  const candidates = await candidatesFor(token, ports, signal);
  const range = { start: document.positionAt(token.start), end: document.positionAt(offset) };
  const typed = text.slice(token.start, offset);
  const items = candidates.slice(0, MAX_ITEMS).map(({ name, detail, kind }, index): CompletionItem => {
    const written = writtenAs(token, name);
    return {
      label: written,
      kind,
      // The server has chosen what fits, and in which order: the middle of a name fits too.
      filterText: typed,
      sortText: String(index).padStart(3, "0"),
      textEdit: { range, newText: written },
      ...(detail === undefined ? {} : { detail }),
    };
  });
  return { isIncomplete: token.kind !== "command", items };
}

function writtenAs({ sign, kind }: Token, name: string): string {
  if (sign === "@" && kind === "file" && /[\s"'`,;()[\]{}<>]/.test(name)) return `@"${name}"`;
  return sign === "$" && name.startsWith("$") ? name : `${sign}${name}`;
}

async function candidatesFor(token: Token, ports: CompletionPorts, signal: AbortSignal): Promise<Candidate[]> {
  const { kind, part, sign } = token;
  switch (kind) {
    case "command":
      return (await ports.commands())
        .filter(({ name }) => name.startsWith(part))
        .map(({ name, takes = "", summary }) => ({ name, detail: `${takes} ${summary}`.trim(), kind: KIND.keyword }));
    case "file":
      return files(part, sign, ports, signal);
    case "symbol": {
      const names = part === "" ? undefined : await ports.symbolNames();
      const symbols = (await names?.matching(part, SYMBOLS, signal).catch(() => [])) ?? [];
      return symbols.map((each) => ({ name: each.address, detail: each.kind, kind: KIND.reference }));
    }
    case "value":
      return values(part, ports);
    default:
      return kind satisfies never;
  }
}

async function files(
  part: string,
  sign: Token["sign"],
  ports: CompletionPorts,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const isMention = sign === "@";
  const [paths, buffers] = await Promise.all([
    ports.files.all(signal),
    isMention && "buffer:".startsWith(part.slice(0, 7)) && part !== "" ? ports.buffers(signal).catch(() => []) : [],
  ]);
  const special: Candidate[] = [
    ...(isMention && "diff".startsWith(part)
      ? [{ name: "diff", detail: "what is not committed", kind: KIND.keyword }]
      : []),
    ...buffers
      .filter(({ uri }) => uri === undefined)
      .map(({ name }) => ({ name: `buffer:${name}`, detail: "a buffer of the editor", kind: KIND.file })),
  ].filter(({ name }) => name.toLowerCase().startsWith(part.toLowerCase()));
  const fitting = fittingPaths(part, paths, MAX_ITEMS).map((name) => ({
    name,
    kind: name.endsWith("/") ? KIND.folder : KIND.file,
  }));
  return [...special, ...fitting];
}

/** Names that the REPL has, and the handles of its last forms. */
async function values(part: string, { repl }: Pick<CompletionPorts, "repl">): Promise<Candidate[]> {
  const found = repl.peek();
  if (found === undefined) return [];
  const last = found.history({ limit: HANDLES }).items.filter(({ valueId }) => valueId?.startsWith(`$${part}`));
  const handles = last.map(({ valueId = "", code }) => ({
    name: valueId,
    detail: plainLine(code, SHOWN_CODE),
    kind: KIND.variable,
  }));
  if (/^\d/.test(part)) return handles;
  const { items } = await found.complete({ code: part, offset: part.length });
  const names = items.map(({ label, detail }) => ({ name: label, detail, kind: KIND.variable }));
  return [...handles, ...(part === "" ? names.slice(0, SYMBOLS) : names)];
}
