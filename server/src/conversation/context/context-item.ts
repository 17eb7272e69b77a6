/** One thing that goes along with a prompt, looked up in its present state. */
import { InvalidParamsError } from "../../base/errors.ts";
import type { ContextRef } from "../../protocol/shapes.ts";
import type { ToolResult } from "../../protocol/tool-shapes.ts";
import type { Refused, WorkspaceText } from "../../surroundings/workspace-texts.ts";
import type { PathResolution } from "../../workspace/workspace-paths.ts";
import type { ContextPorts } from "./context-ports.ts";
import { documentItem } from "./document-text.ts";
import { cutAndFenced, MAX_ITEM, type Item } from "./item.ts";
import { pictureAt } from "./picture.ts";

const DIFF_LIMIT_MS = 30_000;

/** Throws where the item lacks what its kind needs; `at` is the item's place in the request. */
export async function itemOf(ref: ContextRef, at: string, ports: ContextPorts): Promise<Item> {
  const { kind, uri, text, label, symbol } = ref;
  // What the client wrote out itself needs no looking up.
  if (text !== undefined) return written(label ?? symbol ?? uri ?? kind, text);
  switch (kind) {
    case "buffer":
      return bufferItem(ref, at, ports);
    case "file":
    case "selection":
      return documentOf(ref, required(uri, "uri", ref, at), ports);
    case "folder":
      return withDocumentPath(ref, required(uri, "uri", ref, at), ports);
    case "diagnostics": {
      const document = await textOf(required(uri, "uri", ref, at), ports);
      if ("reason" in document) return { missing: `${kind} could not be read: ${document.reason}` };
      return looked(`diagnostics of ${document.path}`, ports, "get_diagnostics", { path: document.path });
    }
    case "symbol":
      return symbolItem(required(symbol ?? label, "symbol", ref, at), uri, ports);
    case "replValue": {
      const value = required(symbol ?? label, "symbol", ref, at);
      return looked(`REPL value ${value}`, ports, "inspect_object", { value });
    }
    case "diff":
      return diffItem(ports);
    case "image":
      return pictureItem(required(uri, "uri", ref, at), ports);
    case "text":
      return written(label ?? kind, required(text, "text", ref, at));
    default:
      return kind satisfies never;
  }
}

function required(value: string | undefined, name: string, { kind }: ContextRef, at: string): string {
  if (value !== undefined && value !== "") return value;
  const expected = `a string: context of kind ${kind} needs it`;
  throw new InvalidParamsError([{ path: `${at}/${name}`, expected, received: undefined }]);
}

function written(label: string, text: string): Item {
  return { label, text: cutAndFenced(label, text, MAX_ITEM) };
}

/** One of the editor's own buffers has a name and no file. */
async function bufferItem(ref: ContextRef, at: string, ports: ContextPorts): Promise<Item> {
  const { uri, symbol } = ref;
  if (uri === undefined && symbol !== undefined) {
    return looked(`buffer ${symbol}`, ports, "read_buffer", { buffer: symbol });
  }
  return documentOf(ref, required(uri, "uri", ref, at), ports);
}

async function looked(
  what: string,
  ports: ContextPorts,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Item> {
  return told(what, await ports.look(tool, args));
}

function told(what: string, result: ToolResult): Item {
  if (!result.success) return { missing: `${what} could not be read: ${result.error ?? "no reason given"}` };
  return written(what, result.content);
}

async function documentOf(ref: ContextRef, uri: string, ports: ContextPorts): Promise<Item> {
  const document = await textOf(uri, ports);
  if (!("reason" in document)) return documentItem(document, ref);
  const { kind, label } = ref;
  return { missing: `${kind} ${label === undefined ? "" : `${label} `}could not be had: ${document.reason}` };
}

async function textOf(uri: string, ports: ContextPorts): Promise<WorkspaceText | Refused> {
  const resolution = resolved(uri, ports);
  return resolution.ok ? ports.texts.at(resolution.path) : resolution;
}

/** What nobody may read leaves an entry in the audit log. */
function resolved(uri: string, { paths, decisions }: ContextPorts): PathResolution {
  const resolution = paths.resolve(uri);
  if (!resolution.ok) decisions.note("agentq/prompt", { uri }, { outcome: "denied", detail: resolution.reason });
  return resolution;
}

async function withDocumentPath({ label }: ContextRef, uri: string, ports: ContextPorts): Promise<Item> {
  const place = await ports.texts.placeAt(uri);
  if (place === undefined) return { missing: `folder ${label ?? uri} does not exist` };
  if ("reason" in place) return { missing: `folder ${label ?? uri} could not be had: ${place.reason}` };
  return looked(`${place.path}/`, ports, "list_directory", { path: place.path });
}

/** The declaration with its documentation. */
async function symbolItem(symbol: string, uri: string | undefined, ports: ContextPorts): Promise<Item> {
  const document = uri === undefined ? undefined : await textOf(uri, ports);
  const place = document === undefined || "reason" in document ? {} : { path: document.path };
  return looked(`symbol ${symbol}`, ports, "read_symbol", { symbol, ...place });
}

async function diffItem({ paths }: ContextPorts): Promise<Item> {
  const { diffOf } = await import("../../surroundings/git-diff.ts");
  const diff = await diffOf(paths, AbortSignal.timeout(DIFF_LIMIT_MS));
  if ("reason" in diff) return { missing: `the diff could not be had: ${diff.reason}` };
  return written("git diff HEAD", diff.text);
}

async function pictureItem(uri: string, ports: ContextPorts): Promise<Item> {
  const resolution = resolved(uri, ports);
  const picture = resolution.ok ? await pictureAt(resolution.path) : resolution;
  if ("reason" in picture) return { missing: `the image could not be had: ${picture.reason}` };
  const { path, mediaType, data } = picture;
  return { label: path, text: `The image ${path} is attached.`, picture: { kind: "image", mediaType, data } };
}
