/** `search_text` over the wire beside ripgrep started by hand, over a project of 3,000 modules. */
import { spawn } from "node:child_process";
import { rgPath } from "@vscode/ripgrep";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { LspClient } from "../support/lsp-client.ts";
import { writeManyModules } from "../support/many-modules.ts";
import { ratioUpTo, rowsOf, type MeasureReport, type Row } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer } from "../support/servers.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const MODULES = 3_000;
const ROUNDS = 25;
const GOAL = 1.3;

/** In a few modules, in some lines of every thirtieth, in lines of every module, and nowhere, which is answered with help. */
const QUESTIONS = ["sum2718\\b", "import .*part\\d*00\\.ts", "export const sum\\d+", "nowhere\\d+"];

export function measureSearchText({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    const { megabytes } = writeManyModules(folder, MODULES);
    const client = new LspClient(agentqServer(program), folder);
    const rows: Row[] = [];
    const notes: string[] = [];
    try {
      await client.start(folder);
      for (const pattern of QUESTIONS) {
        const found = new Map<string, number>();
        const ours = async (): Promise<void> => void found.set("ours", await linesOfTool(client, pattern));
        const bare = async (): Promise<void> => void found.set("rg", await linesOfRipgrep(folder, pattern));
        const samples = await inTurns({ rg: () => timed(bare), search_text: () => timed(ours) }, rounds(ROUNDS));
        if (found.get("ours") !== found.get("rg")) {
          throw new Error(`search_text found ${found.get("ours")} lines for ${pattern}, ripgrep ${found.get("rg")}`);
        }
        const measure = `search ${pattern}`;
        const goals = found.get("rg") === 0 ? {} : { search_text: ratioUpTo(GOAL) };
        rows.push(...rowsOf({ measure, unit: "ms" }, samples, "rg", goals));
        notes.push(`${pattern}: ${found.get("rg")} lines in ${MODULES} modules, ${megabytes.toFixed(0)} MB.`);
      }
    } finally {
      await client.close();
    }
    return { rows, notes };
  });
}

async function linesOfTool(client: LspClient, pattern: string): Promise<number> {
  const call = { name: "search_text", arguments: { pattern } };
  const { success, content, error } = await client.request<ToolResult>("agentq/callTool", call);
  if (!success) throw new Error(error);
  return Number(/^\d+/.exec(content)?.[0] ?? 0);
}

/** From the start of the process to the last byte of its output, as the tool has to read it too. */
function linesOfRipgrep(folder: string, pattern: string): Promise<number> {
  const child = spawn(rgPath, ["--no-config", "--hidden", "--line-number", `--regexp=${pattern}`, "./"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let lines = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(lines));
  });
}
