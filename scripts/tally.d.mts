export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  notes: string[];
}

export interface VitestReport {
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
}

export function emptyTally(): Tally;
export function tallyCheck(tally: Tally, name: string, status: number): void;
export function tallyMissing(tally: Tally, missing: { name: string; reason: string }[], isCi: boolean): void;
export function tallyVitest(tally: Tally, report: VitestReport | undefined, status: number): void;
export function describeTally(tally: Tally): string;
