/** Those of an environment, by their names. */
export type Variables = Readonly<Record<string, string | undefined>>;
