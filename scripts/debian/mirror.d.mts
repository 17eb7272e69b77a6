export function sourceForSuite(suite: string, etc?: string): { name: string; text: string } | undefined;
