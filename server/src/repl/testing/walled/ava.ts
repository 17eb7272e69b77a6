/** The project's ava, whose output is read as Test Anything Protocol. */
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { findTestFiles } from "../find-test-files.ts";
import { installedPackage, manifestIn, programOf } from "../manifest.ts";
import { callsIn, keptWords } from "../test-script.ts";
import { NOT_INSTALLED } from "../test-run.ts";
import { endedBadly, type PlanSetting, type PreparedRun, type ProgramEnd, type ToldByProgram } from "./walled-plan.ts";
import { tapOutcomes, type FileOfTitles } from "./tap.ts";

const VALUED = ["--config", "-c", "--concurrency", "-T", "--timeout", "--node-arguments"];
const DROPPED = /^(?:--(?:tap|watch|verbose|match|update-snapshots|fail-fast|no-color|color)(?:$|=)|-[twmuv]$)/;

export async function prepareAva(setting: PlanSetting): Promise<PreparedRun | string> {
  const { plan, request, nodePath } = setting;
  const installed = installedPackage(plan.root, "ava");
  const program = installed && programOf(installed, "ava");
  if (program === undefined) return `ava ${NOT_INSTALLED}`;
  if (request.name !== undefined && /[\\^$.*+?()[\]{}|]/.test(request.name)) {
    return "ava selects tests by plain text: give `name` without special characters, or the file as `path`";
  }
  const [call] = callsIn(manifestIn(plan.root), (name) => name === "ava");
  const isAll = plan.files.length === 0;
  const own = keptWords(call, { valued: VALUED, dropped: DROPPED, names: isAll });
  const name = request.name === undefined ? [] : [`--match=*${request.name}*`];
  const files = plan.files.map((file) => relative(plan.root, file));
  return {
    version: installed?.version ?? "",
    program: {
      command: [nodePath, program, "--tap", ...own, ...name, ...files],
      folder: plan.root,
      env: call?.env ?? {},
    },
    read: async (end) => readTap(setting, end),
  };
}

async function readTap({ plan }: PlanSetting, end: ProgramEnd): Promise<ToldByProgram> {
  const files = plan.files.length > 0 ? plan.files : await findTestFiles(plan.root);
  const { outcomes, rest } = tapOutcomes(stripVTControlCharacters(end.printed), (titles) => {
    return fileOf(titles, files, plan.root);
  });
  const problem = outcomes.some(({ state }) => state === "failed") ? undefined : endedBadly(end);
  return { outcomes, output: rest, ...(problem === undefined ? {} : { problem }) };
}

/**
 * For several files, ava puts the folders and the name of the file before the title, without the parts that all files
 * share.
 */
function fileOf(titles: readonly string[], files: readonly string[], root: string): ReturnType<FileOfTitles> {
  let best = { file: files.length === 1 ? (files[0] ?? root) : root, named: 0 };
  for (const file of files) {
    const parts = relative(root, file)
      .replace(/(?:\.(?:test|spec))?\.[cm]?[jt]sx?$/, "")
      .split("/");
    for (let named = Math.min(parts.length, titles.length - 1); named > best.named; named--) {
      if (parts.slice(-named).join("/") === titles.slice(0, named).join("/")) best = { file, named };
    }
  }
  if (best.file !== root) return best;
  const said = titles.join(" ");
  return { file: files.find((file) => said.includes(relative(root, file))) ?? root, named: 0 };
}
