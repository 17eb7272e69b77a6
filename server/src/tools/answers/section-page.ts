/** A list in sections, read page by page. */
import { pageOf, type Page, type Paging } from "./answer-text.ts";
import { plural } from "../../base/plural.ts";

export interface Section {
  /** "" for the only section, of which the lines above tell what it is. */
  readonly title: string;
  readonly lines: readonly string[];
}

interface SectionPage {
  readonly page: Page;
  /** How many lines there are without the titles. */
  readonly total: number;
  /**
   * Each title comes before the first of its lines, on every page anew; the title of an empty section on the first
   * page.
   */
  readonly lines: readonly string[];
}

export function sectionPage(sections: readonly Section[], paging: Paging): SectionPage {
  const page = pageOf(
    sections.flatMap((section) => section.lines),
    paging,
  );
  const lines: string[] = [];
  let total = 0;
  for (const { title, lines: own } of sections) {
    const shown = page.lines.slice(Math.max(0, total - page.first), Math.max(0, total + own.length - page.first));
    total += own.length;
    if (shown.length > 0 || (own.length === 0 && page.first === 0))
      lines.push("", ...(title === "" ? [] : [title]), ...shown);
  }
  return { page, total, lines };
}

/** Places in code before those in tests; a section without any is left out, and the title of the only one. */
export function codeAndTests<Site extends { readonly isTest: boolean }>(
  sites: readonly Site[],
  lineOf: (site: Site) => string,
): Section[] {
  const lines = (inTests: boolean): string[] => sites.filter(({ isTest }) => isTest === inTests).map(lineOf);
  const sections = [
    { title: "Code", lines: lines(false) },
    { title: "Tests", lines: lines(true) },
  ].filter((section) => section.lines.length > 0);
  return sections.length > 1 ? sections : sections.map((section) => ({ ...section, title: "" }));
}

/** `6 call sites in 4 files, none in tests`; the kinds where there is more than one. */
export function countedPlaces(
  sites: readonly { readonly file: string; readonly isTest: boolean; readonly kind: string }[],
  what: string,
): string {
  const files = plural(new Set(sites.map(({ file }) => file)).size, "file");
  const tests = sites.filter(({ isTest }) => isTest).length;
  const split = tests === 0 ? ", none in tests" : tests === sites.length ? ", all in tests" : "";
  const parts = split === "" ? `: ${sites.length - tests} in code, ${tests} in tests` : split;
  const kinds = [...Map.groupBy(sites, ({ kind }) => kind)].map(([kind, group]) => `${group.length} ${kind}`);
  return `${plural(sites.length, what)} in ${files}${parts}${kinds.length > 1 ? ` (${kinds.join(", ")})` : ""}`;
}
