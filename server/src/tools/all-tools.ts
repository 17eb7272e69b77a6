/** The list of tools, in the order the model sees them. A new tool is one file and one line here. */
import { pathToFileURL } from "node:url";
import { createReadFile, type ReadFilePorts } from "./buffer/read-file.ts";
import { createApplyCodeAction } from "./edit/apply-code-action.ts";
import { createOrganizeImports } from "./edit/organize-imports.ts";
import type { EditPorts } from "./edit/define-edit.ts";
import { createProposeFileEdit } from "./edit/propose-file-edit.ts";
import { SeenTexts } from "./seen-texts.ts";
import { createRenameSymbol } from "./edit/rename-symbol.ts";
import { createCompileForm } from "./execution/compile-form.ts";
import { createEvalForm, createEvalInPackage, type EvaluationPort } from "./execution/eval-form.ts";
import { executionSafety, imageSafety, whyNotInvoke } from "./execution/execution-safety.ts";
import { createGetCompilationNotes } from "./execution/get-compilation-notes.ts";
import { createGetLastError } from "./execution/get-last-error.ts";
import { createGetReplHistory } from "./execution/get-repl-history.ts";
import { createInspectObject } from "./execution/inspect-object.ts";
import { createRestartRepl } from "./execution/restart-repl.ts";
import { createRunTests, type TestPort } from "./execution/run-tests.ts";
import { locateFunction } from "./answers/locate-function.ts";
import { createTraceFunction, createUntraceFunction, type TracePort } from "./execution/trace-function.ts";
import { createAproposSearch } from "./introspection/apropos-search.ts";
import { createClassHierarchy } from "./introspection/class-hierarchy.ts";
import { createClassSlots } from "./introspection/class-slots.ts";
import { createDescribeSymbol } from "./introspection/describe-symbol.ts";
import { createDocumentOutline } from "./introspection/document-outline.ts";
import { createFindImplementations } from "./introspection/find-implementations.ts";
import { createFunctionArglist } from "./introspection/function-arglist.ts";
import { createGetDiagnostics } from "./introspection/get-diagnostics.ts";
import { createListPackageSymbols } from "./introspection/list-package-symbols.ts";
import { createMacroexpandForm } from "./introspection/macroexpand-form.ts";
import { createMethodSpecializers } from "./introspection/method-specializers.ts";
import { createWhoCalls } from "./introspection/who-calls.ts";
import { createWhoReferences } from "./introspection/who-references.ts";
import type { Image } from "../repl/image.ts";
import type { Checking } from "../repl/stages/checking/checking-image.ts";
import type { Lockable } from "../repl/stages/consent/lockable-image.ts";
import type { Remembering } from "../repl/stages/history/remembering-image.ts";
import type { TypeScriptService } from "../typescript/typescript-service.ts";
import type { Tool } from "./tool.ts";

export interface ToolPorts {
  readonly typescript: TypeScriptService;
  readonly image: Lockable<Remembering<Checking<Image>>>;
  readonly runTests: TestPort["run"];
  readonly files: Omit<ReadFilePorts, "seen">;
  readonly proposals: Omit<EditPorts, "typescript" | "seen">;
  /** A URI as people and models read it: relative to the workspace where it lies inside. */
  readonly showUri: (uri: string) => string;
}

export function createTools(ports: ToolPorts): Tool[] {
  const { typescript, image, files, showUri } = ports;
  const seen = new SeenTexts();
  const edits = { ...ports.proposals, typescript, seen };
  // In the open mode an evaluation can do anything the person can, so the agent's evaluations ask first.
  const execution = imageSafety(image);
  const findFile = (name: string): { readonly path: string } | { readonly reason: string } => {
    const resolution = files.resolvePath(name);
    return resolution.ok ? { path: resolution.path.absolute } : { reason: resolution.reason };
  };
  const forms: EvaluationPort = {
    evaluate: (request, signal) => image.evaluate(request, signal),
    prove: (request) => image.prove(request),
    findModule: findFile,
    showUri,
  };
  const tracing: TracePort = {
    evaluate: (request, signal) => image.evaluate(request, signal),
    locate: locateFunction(typescript),
    showUri,
  };
  return [
    createDescribeSymbol(typescript, (request) => image.liveValue(request)),
    createFunctionArglist(typescript),
    createWhoCalls(typescript),
    createWhoReferences(typescript),
    createFindImplementations(typescript),
    createMethodSpecializers(typescript),
    createClassSlots(typescript),
    createClassHierarchy(typescript),
    createListPackageSymbols(typescript),
    createDocumentOutline(typescript),
    createAproposSearch(typescript),
    createGetDiagnostics(typescript),
    createMacroexpandForm(typescript),
    createReadFile({ ...files, seen }),
    createEvalForm(forms, execution),
    createEvalInPackage(forms, execution),
    createCompileForm(
      {
        install: ({ reload, ...request }, signal) =>
          image.evaluate({ ...request, install: reload === true ? { reload } : {} }, signal),
        findModule: findFile,
        showUri,
      },
      execution,
    ),
    createInspectObject({
      inspect: (request) => image.inspect(request),
      evaluate: (request, signal) => image.evaluate(request, signal),
      findModule: findFile,
      showUri,
      whyNotInvoke: whyNotInvoke(image),
    }),
    createTraceFunction(tracing, execution),
    createUntraceFunction(tracing, execution),
    createGetCompilationNotes({
      compilationNotes: (signal) => image.compilationNotes(signal),
      showUri,
      showPath: (path) => showUri(pathToFileURL(path).href),
    }),
    createGetLastError({ lastError: () => image.lastError(), evaluation: (id) => image.evaluation(id), showUri }),
    createGetReplHistory({ history: (query) => image.history(query), showUri }),
    createRestartRepl({ restart: (request, signal) => image.restart(request, signal), showUri }, execution),
    createRunTests(
      {
        run: ports.runTests,
        findFile,
        showPath: (path) => showUri(pathToFileURL(path).href),
        lineOf: async (path, line) => (await files.readDocument(pathToFileURL(path).href))?.text.split("\n")[line - 1],
      },
      executionSafety(image),
    ),
    createProposeFileEdit(edits),
    createRenameSymbol(edits),
    createApplyCodeAction(edits),
    createOrganizeImports(edits),
  ];
}
