/** Limits of API tokens; safe in a browser. Names in characters, times in days. */
export const TOKEN_LIMITS = { name: 60, projects: 50, days: 365, defaultDays: 90 } as const;
