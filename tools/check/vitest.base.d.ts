/** What every package's tests share: workspace packages come from source, results go to JUnit. */
export declare const base: import('vite').UserConfig
