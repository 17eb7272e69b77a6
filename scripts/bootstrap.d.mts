/** Builds the server where its sources are newer than what `dist/` holds; throws an error meant for the user. */
export function prepareServer(node: string): void;
