/** The tool `who_calls`: callers with their enclosing symbol and line, code before tests. */
import { callerTree, type CallerNode, type CallerTree } from "../../typescript/xref/caller-tree.ts";
import { findCallers, type Callers, type CallSite, type Mention } from "../../typescript/xref/callers.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import type { Tool, ToolAnswer } from "../tool.ts";
import {
  groupedAnswer,
  listAnswer,
  usesScopeSchema,
  ofAll,
  pageOf,
  pageSchema,
  place,
  type Paging,
} from "../answers/answer-text.ts";
import { defineSymbolQuestion } from "./define-question.ts";
import { foldPlaces } from "../answers/fold-places.ts";
import { foundPlaces } from "../answers/found-places.ts";
import { headline } from "../answers/headline.ts";
import { codeAndTests, countedPlaces, sectionPage } from "../answers/section-page.ts";
import { plural } from "../../base/plural.ts";

const input = {
  type: "object",
  properties: {
    symbol: {
      type: "string",
      description: "The function, method, class or value: name, Outer.member, src/file.ts#Outer.member, overload #2.",
    },
    path: usesScopeSchema,
    depth: { type: "integer", minimum: 1, maximum: 5, description: "Levels of callers of callers. Default 1." },
    ...pageSchema,
  },
  required: ["symbol"],
  additionalProperties: false,
} as const;

interface Answered {
  readonly view: View;
  /** What was asked about: address, kind and place. */
  readonly head: string;
  readonly callers: Callers;
  /** The words for how many call sites there are in all, of which those of `callers` are a part. */
  readonly part: string;
}

export function createWhoCalls(service: TypeScriptService): Tool {
  return defineSymbolQuestion(service, {
    name: "who_calls",
    description:
      "Who calls a function, method or class, in all loaded projects: calls, new, super, JSX, tagged templates, decorators, and where it is passed as a value.",
    input,
    told: { depth: { type: "integer", description: "2-5: callers of callers too." } },
    categories: ["xref"],
    hasUsesWithin: true,
    answer: async (view, target, args, within = () => true) => {
      const all = await findCallers(view, target);
      const sites = all.sites.filter(within);
      const callers = { ...all, sites };
      const answered: Answered = { view, head: await headline(view, target), callers, part: ofAll(sites, all.sites) };
      if (sites.length === 0) return { content: noCallers(answered) };
      const lists = () => ({ places: foundPlaces(sites, (site) => siteText(site)) });
      if ((args.depth ?? 1) === 1) return { ...sitesAnswer(answered, args), lists };
      return { ...treeAnswer(answered, await callerTree(view, target, sites, args.depth ?? 1), args), lists };
    },
  });
}

function noCallers({ view, head, callers, part }: Answered): string {
  const certainty = `${view.isComplete ? "No callers" : "No callers found in what was searched"}${part}`;
  return [`${certainty}: ${head}`, ...otherUses(view, callers)].join("\n");
}

function sitesAnswer({ view, head, callers, part }: Answered, paging: Paging): ToolAnswer {
  const [said, ...others] = new Set(callers.sites.map(howText));
  const isSaid = others.length === 0 && callers.sites.length > 1;
  const sections = codeAndTests(callers.sites, (site) => `  ${siteLine(view, site, isSaid)}`);
  const all = isSaid && said !== "" ? ` (${said})` : "";
  const { page, total, lines } = sectionPage(sections, paging);
  return groupedAnswer(
    [head, `${counts(callers.sites)}${part}${all}`, ...otherUses(view, callers), ...foldPlaces(lines)],
    page,
    total,
    "call sites",
  );
}

function treeAnswer({ view, head, callers, part }: Answered, tree: CallerTree, paging: Paging): ToolAnswer {
  const entries: string[] = [];
  const walk = (nodes: readonly CallerNode[], indent: string): void => {
    for (const node of nodes) {
      entries.push(`${indent}${nodeLine(node)}`);
      walk(node.callers, `${indent}  `);
    }
  };
  walk(tree.callers, "  ");
  const page = pageOf(entries, paging);
  const lines = [
    head,
    `${counts(callers.sites)}${part}`,
    ...otherUses(view, callers),
    "",
    "Callers, and who calls them",
    ...page.lines,
  ];
  const answer = listAnswer(lines, page, entries.length, "callers");
  const complete = tree.notFollowed === 0;
  const notes = complete
    ? []
    : [`${plural(tree.notFollowed, "caller")} were not followed further: the tree is too large.`];
  return { ...answer, content: [answer.content, ...notes].join("\n"), complete, notes };
}

function counts(sites: readonly CallSite[]): string {
  return countedPlaces(sites, "call site");
}

const MAX_MENTIONS = 4;

function otherUses(view: View, callers: Callers): string[] {
  const siblings =
    callers.elsewhere === 0
      ? []
      : [
          `Not counted: ${plural(callers.elsewhere, "use that runs", "uses that run")} another implementation of the same member`,
        ];
  if (callers.otherUses.size === 0) return siblings;
  const parts = [...callers.otherUses]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, places]) => `${places.length} ${kind}${placesText(view, kind, places)}`);
  return [`Also mentioned, not as a call: ${parts.join(", ")}`, ...siblings];
}

/** Imports go with the calls in the same file; any other mention is looked at next. */
function placesText(view: View, kind: string, places: readonly Mention[]): string {
  if (kind === "import") return "";
  const shown = places.slice(0, MAX_MENTIONS).map(({ file, at }) => `${view.paths.show(file)}:${at.line + 1}`);
  return ` (${shown.join(", ")}${places.length > shown.length ? ", …" : ""})`;
}

/** How it is called; "" for a plain call, which is what was asked for. */
function howText({ kind, detail }: CallSite): string {
  if (detail !== undefined) return `${kind} (${detail})`;
  return kind === "call" ? "" : kind;
}

/** `isSaid`: all are called in the way that is told above. */
function siteLine(view: View, site: CallSite, isSaid: boolean): string {
  return `${place(view, site.file, site.at)} ${siteText(site, isSaid)}`;
}

function siteText(site: CallSite, isSaid = false): string {
  const how = isSaid ? "" : howText(site);
  return `${site.caller}${how === "" ? "" : ` — ${how}`}: ${site.line}`;
}

function nodeLine(node: CallerNode): string {
  const [first] = node.sites;
  const at = first === undefined ? "" : ` at ${first.at.line + 1}`;
  const times = node.sites.length > 1 ? ` ×${node.sites.length}` : "";
  const kinds = [...new Set(node.sites.map((site) => site.kind))].join(", ");
  const test = first?.isTest === true ? ", test" : "";
  return `${node.address} (${kinds}${times}${at}${test})${stopText(node.stop)}`;
}

function stopText(stop: CallerNode["stop"]): string {
  switch (stop) {
    case "cycle":
      return " — cycle";
    case "shown above":
      return " — its callers are shown above";
    case "limit":
      return " — not followed";
    case "depth":
    case "module":
    case undefined:
      return "";
    default:
      return stop satisfies never;
  }
}
