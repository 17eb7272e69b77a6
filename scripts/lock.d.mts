export function withLock<T>(path: string, body: () => T): T;
