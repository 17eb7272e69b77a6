/** Completion in a prompt, as LSP has it: commands, files, symbols and values. */
import { TextDocument } from "vscode-languageserver-textdocument";
import type { CompletionItem, CompletionList } from "vscode-languageserver-protocol";
import type { SlashCommand } from "../commands/command.ts";
import { fittingPaths } from "./fitting-paths.ts";
import { tokenAt, type Token } from "./token-at.ts";

/** Contract: none of them rejects; each answers what it knows within about a second. */
export interface CompletionPorts {
  readonly commands: () => Promise<readonly Pick<SlashCommand, "name" | "takes" | "summary" | "completes">[]>;
  /** Files of the workspace that may be named, by their relative paths. */
  readonly files: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly symbols: (part: string, signal: AbortSignal) => Promise<readonly { address: string; kind: string }[]>;
  /** Names of the REPL's session, and handles. */
  readonly values: (part: string) => Promise<readonly { name: string; detail: string }[]>;
  /** The editor's buffers that are no files. */
  readonly buffers: (signal: AbortSignal) => Promise<readonly string[]>;
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
      const symbols = part === "" ? [] : await ports.symbols(part, signal);
      return symbols.map((each) => ({ name: each.address, detail: each.kind, kind: KIND.reference }));
    }
    case "value":
      return (await ports.values(part)).map(({ name, detail }) => ({ name, detail, kind: KIND.variable }));
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
    ports.files(signal),
    isMention && "buffer:".startsWith(part.slice(0, 7)) && part !== "" ? ports.buffers(signal) : [],
  ]);
  const special: Candidate[] = [
    ...(isMention && "diff".startsWith(part)
      ? [{ name: "diff", detail: "what is not committed", kind: KIND.keyword }]
      : []),
    ...buffers.map((name) => ({ name: `buffer:${name}`, detail: "a buffer of the editor", kind: KIND.file })),
  ].filter(({ name }) => name.toLowerCase().startsWith(part.toLowerCase()));
  const fitting = fittingPaths(part, paths, MAX_ITEMS).map((name) => ({
    name,
    kind: name.endsWith("/") ? KIND.folder : KIND.file,
  }));
  return [...special, ...fitting];
}
