/** The list of tools, in the order the model sees them. A new tool is one file and one line here. */
import { createAliases } from "./aliases.ts";
import { createDelegate, type Delegate } from "./delegate.ts";
import { pathToFileURL } from "node:url";
import { createListBuffers } from "./buffer/list-buffers.ts";
import type { BufferPorts } from "./buffer/open-buffers.ts";
import { createReadBuffer } from "./buffer/read-buffer.ts";
import { createSearchInBuffer } from "./buffer/search-in-buffer.ts";
import { createReadFile, type ReadFilePorts } from "./buffer/read-file.ts";
import { createGetFileInfo, type FileInfoPorts } from "./files/get-file-info.ts";
import { createGetProjectRoot } from "./files/get-project-root.ts";
import { createListDirectory } from "./files/list-directory.ts";
import { createApplyCodeAction } from "./edit/apply-code-action.ts";
import type { EditPorts } from "./edit/define-edit.ts";
import type { TestRunner } from "./edit/proposal-tests.ts";
import { createProposeEdits } from "./edit/propose-edits.ts";
import { SeenTexts } from "./seen-texts.ts";
import { checkTried, editedTexts, type TrialPorts } from "./edit/edited-texts.ts";
import { createTryEdit } from "./edit/try-edit.ts";
import { createRenameSymbol } from "./edit/rename-symbol.ts";
import { createCompileForm } from "./execution/compile-form.ts";
import { createEvalForm } from "./execution/eval-form.ts";
import { executionSafety, replSafety, testSafety } from "./execution/execution-safety.ts";
import { createGetReplHistory } from "./execution/get-repl-history.ts";
import { createInspectObject } from "./execution/inspect-object.ts";
import type { ProjectNames } from "./execution/project-names.ts";
import { inProcess, type Programs } from "./execution/in-process.ts";
import { createLogPoint } from "./execution/log-point.ts";
import { createRestartRepl } from "./execution/restart-repl.ts";
import { createRunCommand, type CommandPorts } from "./commands/run-command.ts";
import { createRunTests, type TestPort } from "./execution/run-tests.ts";
import { locateFunction } from "./answers/locate-function.ts";
import { createTraceFunction, TOLD_IN_PROGRAMS } from "./execution/trace-function.ts";
import { createAproposSearch } from "./introspection/apropos-search.ts";
import { createClassHierarchy } from "./introspection/class-hierarchy.ts";
import { createClassSlots } from "./introspection/class-slots.ts";
import { createDescribeSymbol } from "./introspection/describe-symbol.ts";
import { createDocumentOutline } from "./introspection/document-outline.ts";
import { createFindImplementations } from "./introspection/find-implementations.ts";
import { createGetDiagnostics } from "./introspection/get-diagnostics.ts";
import type { TurnBaselines } from "./introspection/turn-baselines.ts";
import { createListPackageSymbols } from "./introspection/list-package-symbols.ts";
import { createMacroexpandForm } from "./introspection/macroexpand-form.ts";
import { createMethodSpecializers } from "./introspection/method-specializers.ts";
import { createReadSymbol, type NoteRead } from "./introspection/read-symbol.ts";
import { createWhoCalls } from "./introspection/who-calls.ts";
import { createWhoReferences } from "./introspection/who-references.ts";
import { createSearchFiles } from "./search/search-files.ts";
import { createSearchText } from "./search/search-text.ts";
import type { SearchToolPorts } from "./search/search-ports.ts";
import type { Repl } from "../repl/repl.ts";
import { withoutLine } from "../typescript/names/line-address.ts";
import type { TypeScriptService } from "../typescript/typescript-service.ts";
import type { Tool } from "./tool.ts";

export interface ToolPorts {
  readonly typescript: TypeScriptService;
  readonly repl: Repl;
  readonly programs: Programs;
  readonly runner: Pick<TestRunner, "run">;
  readonly delegate: Delegate;
  readonly baselines: Pick<TurnBaselines, "of">;
  readonly search: SearchToolPorts;
  readonly files: Omit<ReadFilePorts, "seen"> & Omit<FileInfoPorts, "typescript">;
  readonly buffers: BufferPorts;
  readonly proposals: Omit<EditPorts, "typescript" | "seen">;
  readonly commands: Omit<CommandPorts, "edits">;
  /** Whether an answer may quote the file at this path. */
  readonly mayShow: (absolutePath: string) => boolean;
  /** A URI as people and models read it: relative to the workspace where it lies inside. */
  readonly showUri: (uri: string) => string;
}

export function createTools(ports: ToolPorts): Tool[] {
  const { typescript, repl, programs, files, showUri } = ports;
  const seen = new SeenTexts();
  const edits = { ...ports.proposals, typescript, seen };
  // In the open mode an evaluation can do anything the person can, so the agent's evaluations ask first.
  const safety = replSafety(repl);
  const anywhere = (make: (each: Repl) => Tool, told = {}): Tool => inProcess(make, { repl, programs, told });
  const besides = executionSafety(repl);
  const showPath = (path: string): string => showUri(pathToFileURL(path).href);
  const lineOf = async (path: string, line: number): Promise<string | undefined> => {
    if (!ports.mayShow(path)) return undefined;
    return (await files.readDocument(pathToFileURL(path).href))?.text.split("\n")[line - 1];
  };
  const findFile: ProjectNames["findFile"] = (name) => {
    const resolution = files.resolvePath(withoutLine(name));
    return resolution.ok ? { path: resolution.path.absolute } : { reason: resolution.reason };
  };
  const names: ProjectNames = { findFile, showUri };
  const noteRead: NoteRead = (conversation, file, read) => {
    const resolution = files.resolvePath(file);
    if (resolution.ok) seen.noteStretches(conversation, resolution.path.uri, read);
  };
  const hasPrograms = (): boolean => programs.names().length > 0;
  const traced = { locate: locateFunction(typescript), showUri };
  const tools = [
    createDescribeSymbol(typescript, (request) => repl.liveValue(request)),
    createWhoCalls(typescript),
    createWhoReferences(typescript),
    createFindImplementations(typescript),
    createMethodSpecializers(typescript),
    createClassSlots(typescript),
    createClassHierarchy(typescript),
    createListPackageSymbols(typescript),
    createReadSymbol(typescript, noteRead),
    createDocumentOutline(typescript),
    createAproposSearch(typescript),
    createGetDiagnostics(typescript, {
      baselines: ports.baselines,
      checkEdits: (...tried) => checkTried(edits, ...tried),
    }),
    createMacroexpandForm(typescript),
    createSearchText(ports.search),
    createSearchFiles(ports.search),
    createReadFile({ ...files, seen }),
    createListDirectory(files),
    createGetFileInfo({ ...files, typescript }),
    createGetProjectRoot(files),
    createListBuffers(ports.buffers),
    createReadBuffer(ports.buffers),
    createSearchInBuffer(ports.buffers),
    anywhere((each) => createEvalForm(each, names, replSafety(each))),
    anywhere((each) => createCompileForm(each, names, replSafety(each))),
    anywhere((each) => createInspectObject(each, names, traced.locate)),
    anywhere((each) => createTraceFunction(each, traced, replSafety(each)), TOLD_IN_PROGRAMS),
    anywhere((each) =>
      createLogPoint(each === repl ? undefined : each, { ...names, showPath, hasPrograms }, replSafety(each)),
    ),
    anywhere((each) => createGetReplHistory(each, names)),
    createRestartRepl(repl, names, safety),
    createRunTests(
      { ...testTexts(ports, edits), findFile, showPath, lineOf },
      testSafety(repl, () => ports.commands.sandbox.whyNot()),
    ),
    createRunCommand({ ...ports.commands, edits }),
    createTryEdit({ ...edits, repl, showUri }, besides),
    createProposeEdits(edits),
    createRenameSymbol(edits),
    createApplyCodeAction(edits),
    createDelegate(ports.delegate),
  ];
  return [...tools, ...createAliases(tools)];
}

/** Which texts tests run on: what is laid over the project, and what the editor has. */
function testTexts(
  { runner, commands }: ToolPorts,
  edits: TrialPorts,
): Pick<TestPort, "run" | "editedTexts" | "unsaved"> {
  return {
    run: (...asked) => runner.run(...asked),
    editedTexts: (...tried) => editedTexts(edits, ...tried),
    unsaved: async () => [...(await commands.unsaved()).keys()],
  };
}
