/** The sentence of an answer that says what was read for it, and how to know that sentence again. */

/** `projects` are "tsconfig.json (12 files)". */
export function searchedNote(projects: string, compiler: string): string {
  return `Searched ${projects} with TypeScript ${compiler}.`;
}

export function readNote(project: string, compiler: string): string {
  return `Read as part of ${project} by TypeScript ${compiler}.`;
}

/**
 * What such a note says without the numbers of files, which each edit may change; undefined for any other note. A reader
 * who knows which projects are searched learns nothing from the project of one file.
 */
export function coverageIn(note: string): string | undefined {
  if (/^Read as part of \S+ by TypeScript \S+\.$/.test(note)) return "Searched";
  return /^Searched .* with TypeScript \S+\.$/s.test(note) ? note.replaceAll(/ \(\d+ files?\)/g, "") : undefined;
}
