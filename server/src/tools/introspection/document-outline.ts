/** The tool `document_outline`: a file's declarations as nested headers with line numbers, without their bodies. */
import { documentShape, type DocumentShape, type ShapeEntry } from "../../typescript/shapes/document-shape.ts";
import { moduleScope } from "../../typescript/names/tree/module-scope.ts";
import { resolveSymbol } from "../../typescript/names/resolve-symbol.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import { ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import { explainResolution, listAnswer, pageOf, pageSchema, type Paging } from "../answers/answer-text.ts";
import { defineQuestion } from "./define-question.ts";
import { cut } from "../answers/grouped-lines.ts";
import { plural } from "../../base/plural.ts";

const input = {
  type: "object",
  properties: {
    path: { type: "string", description: "src/a.ts, or a declaration file of a dependency." },
    depth: { type: "integer", minimum: 1, maximum: 6, description: "Levels of nesting to show. Default 3." },
    ...pageSchema,
  },
  required: ["path"],
  additionalProperties: false,
} as const;

const DEFAULT_DEPTH = 3;
const MAX_HEADER = 110;
const MAX_DOCUMENTATION = 50;
const MAX_IMPORTS = 15;

export function createDocumentOutline(service: TypeScriptService): Tool {
  return defineQuestion(service, {
    name: "document_outline",
    description: "What a file declares, without bodies: headers with line ranges, nested, tests too.",
    input,
    told: { path: { type: "string" }, depth: { type: "integer", description: "1-6, default 3." } },
    answer: async (view, args) => {
      if (args.path.trim() === "") throw new ToolFailure("Name the file to outline.");
      const scope = moduleScope(view, args.path);
      const [file, ...others] = scope?.kind === "file" ? scope.files : [];
      if (file === undefined) return noFile(view, args.path, scope !== undefined);
      if (others.length > 0) return { content: severalFiles(view, args.path, [file, ...others]) };
      view.onlyFile = file;
      const shape = await documentShape(view, file, args.depth ?? DEFAULT_DEPTH);
      return shape === undefined ? noFile(view, args.path, false) : answer(view, shape, args);
    },
  });
}

async function noFile(view: View, name: string, isOther: boolean): Promise<ToolAnswer> {
  if (isOther) return { content: `${name} is not one file. list_package_symbols lists what its files export.` };
  if (/\.\w+$/.test(name) && !/\.[cm]?[jt]sx?$/.test(name)) {
    return { content: `${name} is not a TypeScript or JavaScript file: it has no outline. read_file shows its text.` };
  }
  const resolution = await resolveSymbol(view, `${name}#`);
  return resolution.kind === "found" ? { content: "" } : explainResolution(view, name, resolution);
}

function severalFiles(view: View, name: string, files: readonly string[]): string {
  const shown = files.slice(0, 20).map((file) => `  ${view.paths.show(file)}`);
  const left = files.length - shown.length;
  const more = left > 0 ? [`  … and ${left} more`] : [];
  return [`"${name}" means ${files.length} files. Ask again with one of these:`, ...shown, ...more].join("\n");
}

function answer(view: View, shape: DocumentShape, paging: Paging): ToolAnswer {
  const entries: string[] = [];
  const walk = (nodes: readonly ShapeEntry[], indent: string): void => {
    for (const node of nodes) {
      entries.push(entryLine(node, indent));
      walk(node.children, `${indent}  `);
    }
  };
  walk(shape.entries, "  ");
  const page = pageOf(entries, paging);
  const lines = [`${view.paths.show(shape.file)} — ${plural(shape.lines, "line")}`];
  if (shape.syntaxErrors > 0) {
    lines.push(
      `${plural(shape.syntaxErrors, "syntax error")}: the outline is a guess there; get_diagnostics lists them.`,
    );
  }
  if (shape.imports.length > 0) lines.push(importLine(shape.imports));
  if (entries.length === 0) lines.push("It declares nothing.");
  return listAnswer([...lines, ...page.lines], page, entries.length, "headers");
}

function importLine(imports: readonly string[]): string {
  const shown = imports.slice(0, MAX_IMPORTS).join(", ");
  const left = imports.length - MAX_IMPORTS;
  return `Imports ${shown}${left > 0 ? `, and ${left} more` : ""}`;
}

function entryLine({ header, line, endLine, documentation }: ShapeEntry, indent: string): string {
  const lines = line === endLine ? String(line) : `${line}-${endLine}`;
  const text = documentation === "" ? "" : `  — ${cut(documentation, MAX_DOCUMENTATION)}`;
  return `${indent}${lines}: ${cut(header, MAX_HEADER)}${text}`;
}
