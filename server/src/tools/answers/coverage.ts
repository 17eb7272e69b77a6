/** The sentence of an answer that says what was read for it, and how to know that sentence again. */

/** `projects` are "tsconfig.json (12 files)". */
export function searchedNote(projects: string, compiler: string): string {
  return `Searched ${projects} with TypeScript ${compiler}.`;
}

export function readNote(project: string, compiler: string): string {
  return `Read as part of ${project} by TypeScript ${compiler}.`;
}

export function withoutCompiler(note: string): string {
  return note.replace(/ with TypeScript \S+\.$/, ".");
}

/** What `coverageIn` says of an answer about one file: that a file was read tells a model nothing. */
export const ONE_FILE = "one file";

/** What such a note says without the numbers of files, which each edit may change; undefined for any other note. */
export function coverageIn(note: string): string | undefined {
  if (/^Read as part of \S+ by TypeScript \S+\.$/.test(note)) return ONE_FILE;
  return /^Searched .* with TypeScript \S+\.$/s.test(note) ? note.replaceAll(/ \(\d+ files?\)/g, "") : undefined;
}
