/** The list of tools, in the order the model sees them. A new tool is one file and one line here. */
import { createReadFile, type ReadFilePorts } from "./buffer/read-file.ts";
import { createApplyCodeAction } from "./edit/apply-code-action.ts";
import { createOrganizeImports } from "./edit/organize-imports.ts";
import { createProposeFileEdit, type ProposeFileEditPorts } from "./edit/propose-file-edit.ts";
import { createRenameSymbol } from "./edit/rename-symbol.ts";
import { createEvalForm } from "./execution/eval-form.ts";
import { createGetLastError } from "./execution/get-last-error.ts";
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
import type { TypeScriptService } from "../typescript/typescript-service.ts";
import type { Tool } from "./tool.ts";

export interface ToolPorts {
  readonly typescript: TypeScriptService;
  readonly image: Image;
  readonly files: ReadFilePorts;
  readonly proposals: ProposeFileEditPorts;
  /** A URI as people and models read it: relative to the workspace where it lies inside. */
  readonly showUri: (uri: string) => string;
}

export function createTools(ports: ToolPorts): Tool[] {
  // In the open mode an evaluation can do anything the person can, so the agent's evaluations ask first.
  const { typescript, image, files, showUri } = ports;
  const edits = { ...ports.proposals, typescript };
  const safety = image.status().confinement === "open" ? "dangerous" : "cautious";
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
    createReadFile(files),
    createEvalForm(
      {
        evaluate: (request, signal) => image.evaluate(request, signal),
        findModule: (name) => {
          const resolution = files.resolvePath(name);
          return resolution.ok ? { path: resolution.path.absolute } : { reason: resolution.reason };
        },
        showUri,
      },
      { safety },
    ),
    createGetLastError({ lastError: () => image.lastError(), showUri }),
    createProposeFileEdit(ports.proposals),
    createRenameSymbol(edits),
    createApplyCodeAction(edits),
    createOrganizeImports(edits),
  ];
}
