/** The list of tools, in the order the model sees them. A new tool is one file and one line here. */
import { createReadFile, type ReadFilePorts } from "./buffer/read-file.ts";
import { createProposeFileEdit, type ProposeFileEditPorts } from "./edit/propose-file-edit.ts";
import { createEvalForm } from "./execution/eval-form.ts";
import { createGetLastError } from "./execution/get-last-error.ts";
import { createAproposSearch } from "./introspection/apropos-search.ts";
import { createDescribeSymbol } from "./introspection/describe-symbol.ts";
import { createWhoCalls } from "./introspection/who-calls.ts";
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
  const { image, files, showUri } = ports;
  const safety = image.status().confinement === "open" ? "dangerous" : "cautious";
  return [
    createDescribeSymbol(ports.typescript),
    createWhoCalls(ports.typescript),
    createAproposSearch(ports.typescript),
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
  ];
}
