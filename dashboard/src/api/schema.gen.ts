// Made from openapi.json by `npm run api`. Do not edit.

export interface paths {
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the agent did and what was decided about it: everything for an administrator, one's own for everyone else. */
        get: {
            parameters: {
                query?: {
                    /** @description `next_cursor` of the page before. */
                    cursor?: components["schemas"]["AuditId"];
                    /** @description Most rows, at most 200. */
                    limit?: number;
                    /** @description Of this conversation alone. */
                    session_id?: components["schemas"]["SessionId"];
                    /** @description About this tool alone. */
                    tool?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AuditPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Logs in: sets the session cookie. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Credentials"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LoggedIn"];
                    };
                };
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Logs out: deletes the session and clears the cookie. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes the first administrator, with the token that the console shows, and logs them in. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Setup"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LoggedIn"];
                    };
                };
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who is logged in. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LoggedIn"];
                    };
                };
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything that happens in the user's sessions; stays open while they are logged in. */
        get: {
            parameters: {
                query?: {
                    /** @description Id of the last event that was seen; 0 for everything. `Last-Event-ID` goes before it. */
                    after?: number;
                    /** @description 1 to begin with a `snapshot` event: the newest event id and the runs that are going. */
                    snapshot?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Health of the server; 503 when the database does not answer. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Health"];
                    };
                };
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Health"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All hooks. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HookList"];
                    };
                };
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        /** Replaces `hooks.json`; nothing changes when the new one is not valid. */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HookList"];
                    };
                };
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs the commands of an event on a made-up input; nothing comes of their answers. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Trial"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TrialResults"];
                    };
                };
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/library": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The papers of the library. */
        get: {
            parameters: {
                query?: {
                    /** @description Words, all of which are in title, authors, abstract, venue, keywords, tags or an identifier. */
                    q?: string;
                    /** @description A tag. */
                    tag?: string;
                    /** @description First year of publication. */
                    year_from?: number;
                    /** @description Last year of publication. */
                    year_to?: number;
                    /** @description Whether the paper still stands. */
                    state?: "ok" | "withdrawn" | "retracted" | "corrected";
                    /** @description What the paper has. */
                    has?: "pdf" | "text" | "notes" | "nothing";
                    /** @description The order. */
                    sort?: "added" | "year" | "title" | "author" | "citations";
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                    /** @description Most papers of a page, at most 200. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LibraryList"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /** Adds papers to the library. Each identifier has its own answer; those that are unknown here are looked up first. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewPapers"];
                };
            };
            responses: {
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AddedPapers"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/library/duplicates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Papers of the library that may be one. Nothing is merged by this. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LookAlikeList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/library/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tags of the library, each with the number of its papers. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TagList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The user's memories. */
        get: {
            parameters: {
                query?: {
                    /** @description Those in which these words occur, the best first; such a list has one page. */
                    q?: string;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                    /** @description Most memories of a page, at most 200. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["MemoryPage"];
                    };
                };
            };
        };
        put?: never;
        /** Remembers something in the user's own words. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewMemory"];
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Memory"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One memory. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["MemoryId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Memory"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Forgets a memory. */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["MemoryId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Changes a memory. What a user has written or corrected is certain. */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["MemoryId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MemoryPatch"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Memory"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The counts as JSON. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["MetricsData"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The configured models. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ModelList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/models/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Makes a model the one that calls begin with, for every session that does not name its own, until the server restarts. */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ModelChoice"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ModelList"];
                    };
                };
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/papers/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Searches ADS and arXiv at the same time; a source that fails is named in the answer. */
        get: {
            parameters: {
                query?: {
                    /** @description Words, or a query in ADS's syntax. */
                    q?: string;
                    /** @description `ads`, `arxiv`, or both separated by a comma; both when absent. */
                    sources?: string;
                    /** @description Authors, separated by semicolons; all of them must be authors. */
                    author?: string;
                    /** @description First year of publication. */
                    year_from?: number;
                    /** @description Last year of publication. */
                    year_to?: number;
                    /** @description The order. */
                    sort?: "relevance" | "date" | "citations";
                    /** @description Papers wanted; 20 when absent, at most 100. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SearchAnswer"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/papers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One paper, by our id, bibcode, arXiv id or DOI (percent-encoded). */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Paper"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Deletes a paper with everything that belongs to it. */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Changes what the library says of a paper. */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PaperPatch"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Paper"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/papers/{id}/apart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says that another paper is not this one, so that they are neither merged nor suggested. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["OtherPaper"];
                };
            };
            responses: {
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/papers/{id}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes another paper a part of this one; nothing of either is lost, and it can be undone. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["OtherPaper"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Paper"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/papers/{id}/unmerge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undoes the merge that brought an identifier to this paper; the two are not merged again by what a source says. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["UnmergeRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TwoPapers"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The rules for everyone, and those that the user's own answers made. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PermissionRules"];
                    };
                };
            };
        };
        put?: never;
        /** Adds a rule for everyone. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RuleText"];
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PermissionRule"];
                    };
                };
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/permissions/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tries the rules on a call; nothing runs. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RuleCheck"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RuleVerdict"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/permissions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Deletes a rule: an administrator everyone's, each user what their own answers made. */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["RuleId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Changes a rule. */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["RuleId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RuleText"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PermissionRule"];
                    };
                };
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The user's questions, the newest first. */
        get: {
            parameters: {
                query?: {
                    /** @description Those in this state; all when absent. */
                    status?: components["schemas"]["QuestionStatus"];
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["QuestionList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/questions/{id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answers a question; the first answer counts. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["QuestionId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Answer"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Question"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One run. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["RunId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Run"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Asks a run to end; nothing happens when it has. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["RunId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/continue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lets an interrupted run go on. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["RunId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/search/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Searches the user's sessions and messages. */
        get: {
            parameters: {
                query?: {
                    /** @description Any text; it is searched as words. */
                    q?: string;
                    /** @description Only in this session. */
                    session_id?: components["schemas"]["SessionId"];
                    /** @description Most hits, at most 100. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HistoryHits"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The user's sessions: pinned ones first, then the newest. */
        get: {
            parameters: {
                query?: {
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                    /** @description Most items of a page, at most 200. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionPage"];
                    };
                };
            };
        };
        put?: never;
        /** Begins a session. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewSession"];
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Session"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One session. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["SessionId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Session"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Deletes a session with all its messages and events; a run that is going is stopped first. */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["SessionId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Changes title, pin, permission mode or model. */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["SessionId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SessionPatch"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Session"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/sessions/{id}/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Has the older part of a conversation replaced by a summary. Nothing is deleted, and it can be undone. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["SessionId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CompactionAccepted"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/compact/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes the newest summary back: the agent sees the messages again that it stood for. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["SessionId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One session, for scripts: open while anything of it is going; 204 when there is nothing after the cursor. */
        get: {
            parameters: {
                query?: {
                    /** @description Id of the last event that was seen; 0 for everything. `Last-Event-ID` goes before it. */
                    after?: number;
                    /** @description 1 to begin with a `snapshot` event: the newest event id and the runs that are going. */
                    snapshot?: number;
                };
                header?: never;
                path: {
                    id: components["schemas"]["SessionId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The whole history of a session. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["SessionId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["MessageList"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/queue/{message_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraws a message that still waits. */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["SessionId"];
                    message_id: components["schemas"]["MessageId"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Changes a message that still waits. */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["SessionId"];
                    message_id: components["schemas"]["MessageId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["QueueEdit"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Message"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/sessions/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a message: starts a run, or waits for the one that is going. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: components["schemas"]["SessionId"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunRequest"];
                };
            };
            responses: {
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RunAccepted"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is configured and what is missing. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SettingsView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/skills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The skills that the agent can load, the shipped ones and the user's. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SkillList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/targets/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Resolves a name to coordinates; all four outcomes are a 200 with their `status`. */
        get: {
            parameters: {
                query?: {
                    /** @description Its name, as a person writes it. */
                    name?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Target"];
                    };
                };
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tools of a standard run. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ToolList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspace/diff/{commit}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What one commit changed. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    commit: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CommitDiff"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspace/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was changed, the newest first. */
        get: {
            parameters: {
                query?: {
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                    /** @description Most commits, at most 200. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LogPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspace/revert/{commit}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undoes a commit by a new one. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    commit: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LogEntry"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The counts for Prometheus: for this machine itself, and for administrators. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What came of one identifier. */
        AddedPaper: {
            /** @description Why nothing was added. */
            error?: string;
            /** @description The identifier as it was given. */
            identifier: string;
            /** @description The paper that is in the library now. */
            paper_id?: components["schemas"]["PaperId"];
        };
        /** @description What came of each identifier, in their order. */
        AddedPapers: {
            /** @description One for each identifier. */
            items: components["schemas"]["AddedPaper"][];
        };
        /** @description An answer, as it is stored and sent. */
        Answer: {
            /** @description What the model should know about it. */
            comment?: string;
            /** @description Whether the call may run. */
            decision: components["schemas"]["Decision"];
        } | {
            /** @description The user's words, or the option chosen. */
            answer: string;
        };
        /**
         * Format: uuid
         * @description One row of the audit log.
         */
        AuditId: string;
        /** @description One page of the log. */
        AuditPage: {
            /** @description The newest first. */
            items: components["schemas"]["AuditRow"][];
            next_cursor?: components["schemas"]["AuditId"] | null;
        };
        /** @description One row. */
        AuditRow: {
            /** @description When. */
            created_at: components["schemas"]["Timestamp"];
            /** @description What was decided or came of it, in a word. */
            decision: string;
            /** @description What it is about: a hook event, `PermissionAnswer` or `HooksChanged`. */
            event: string;
            /** @description Its id; later rows compare greater. */
            id: components["schemas"]["AuditId"];
            /**
             * Format: int64
             * @description How long it took, in milliseconds.
             */
            ms?: number | null;
            run_id?: components["schemas"]["RunId"] | null;
            session_id?: components["schemas"]["SessionId"] | null;
            /** @description Sizes, digests and reasons; never the text of a prompt or the value of an argument. */
            summary: string;
            /** @description The tool, if any. */
            tool?: string | null;
            tool_call_id?: components["schemas"]["CallId"] | null;
            /** @description On whose behalf. */
            user_id: components["schemas"]["UserId"];
        };
        /** @description An author, as the source writes the name (`Greene, Thomas P.`). */
        Author: {
            /** @description Family name first. */
            name: string;
            /** @description ORCID iD, 16 digits in four groups. */
            orcid?: string;
        };
        /** @description One bucket, cumulative. */
        Bucket: {
            /**
             * Format: int64
             * @description How many are not above it.
             */
            count: number;
            /**
             * Format: double
             * @description Upper bound, in seconds.
             */
            le: number;
        };
        /**
         * @description Our own identifier of one tool call, `call_` followed by a UUIDv7.
         *
         *     Providers send empty, repeated and constant ids, so theirs is kept for the wire alone.
         */
        CallId: string;
        /**
         * @description What a commit did to a file.
         * @enum {string}
         */
        ChangeKind: "added" | "modified" | "deleted";
        /** @description A commit with what it changed. */
        CommitDiff: components["schemas"]["LogEntry"] & {
            /** @description Its changes, in the order of paths. */
            changes: components["schemas"]["FileChange"][];
        };
        /** @description What was asked for. */
        CompactionAccepted: {
            /** @description When it is made. */
            state: components["schemas"]["CompactionState"];
        };
        /**
         * @description Which layer made the context smaller.
         * @enum {string}
         */
        CompactionLayer: "micro" | "auto" | "manual";
        /**
         * @description When a compaction is made.
         * @enum {string}
         */
        CompactionState: "begun" | "before_the_next_call";
        /** @description One counter. */
        Counter: {
            /** @description What tells it apart. */
            labels: {
                [key: string]: string;
            };
            /** @description Its Prometheus name. */
            name: string;
            /**
             * Format: int64
             * @description The count.
             */
            value: number;
        };
        /** @description Name and password. */
        Credentials: {
            password: string;
            username: string;
        };
        /**
         * @description What a user may say to a permission question.
         * @enum {string}
         */
        Decision: "once" | "session" | "always" | "deny";
        /**
         * @description Why a run ended without simply completing.
         * @enum {string}
         */
        EndReason: "max_steps" | "loop_guard" | "fallback_exhausted" | "stop_hook" | "error";
        /** @description One event of the timeline; `type` is the SSE event name. */
        Event: {
            /** @description The user messages it answers. */
            message_ids: components["schemas"]["MessageId"][];
            /** @description How it works. */
            mode: components["schemas"]["RunMode"];
            /** @description The model that answers. */
            model: string;
            /** @description The run. */
            run_id: components["schemas"]["RunId"];
            /** @enum {string} */
            type: "run_started";
        } | {
            /** @description What to append. */
            delta: string;
            /** @enum {string} */
            type: "text_delta";
        } | {
            /** @description What to append. */
            delta: string;
            /** @enum {string} */
            type: "thinking_delta";
        } | {
            /** @description The message. */
            message: components["schemas"]["Message"];
            /** @enum {string} */
            type: "message";
        } | {
            /**
             * Format: int64
             * @description Tokens in the context after the last model call.
             */
            context_tokens: number;
            /**
             * Format: int64
             * @description Tokens that fit.
             */
            context_window: number;
            /** @enum {string} */
            type: "usage";
            /** @description Sum over the run. */
            usage: components["schemas"]["Usage"];
        } | {
            /** @description Its arguments. */
            arguments: unknown;
            /** @description Our id of the call. */
            id: components["schemas"]["CallId"];
            /** @description The tool. */
            name: string;
            /**
             * Format: int32
             * @description Number of the model call, from 1.
             */
            step: number;
            /** @enum {string} */
            type: "tool_call";
        } | {
            /** @description The call. */
            id: components["schemas"]["CallId"];
            /** @description How far. */
            progress: components["schemas"]["Progress"];
            /** @enum {string} */
            type: "tool_progress";
        } | {
            /** @description Whether it failed. */
            is_error: boolean;
            /** @description Structured data for the dashboard. */
            metadata?: unknown;
            /** @description The tool. */
            name: string;
            /** @description What the model is told. */
            output: string;
            /**
             * Format: int32
             * @description Number of the model call, from 1.
             */
            step: number;
            /** @description The call. */
            tool_call_id: components["schemas"]["CallId"];
            /** @enum {string} */
            type: "tool_result";
        } | {
            /** @description The question. */
            question: components["schemas"]["Question"];
            /** @enum {string} */
            type: "question";
        } | {
            /** @description The answer, if there was one. */
            answer?: unknown;
            /** @description The question. */
            id: components["schemas"]["QuestionId"];
            /** @description How it ended. */
            status: components["schemas"]["QuestionStatus"];
            /** @enum {string} */
            type: "question_closed";
        } | {
            /** @description The whole plan. */
            todos: components["schemas"]["Todo"][];
            /** @enum {string} */
            type: "todo_updated";
        } | {
            /**
             * Format: int32
             * @description Number of the attempt that failed, from 1.
             */
            attempt: number;
            /**
             * Format: int64
             * @description Deltas of this run from this event id on belong to the failed attempt and are void.
             */
            discard_from?: number;
            /** @description Why. */
            reason: string;
            /** @enum {string} */
            type: "retrying";
            /**
             * Format: int64
             * @description Milliseconds until the next attempt.
             */
            wait_ms: number;
        } | {
            /**
             * Format: int64
             * @description Estimated tokens of the context after.
             */
            after_tokens: number;
            /**
             * Format: int64
             * @description Estimated tokens of the context before.
             */
            before_tokens: number;
            /** @description Which layer did it. */
            layer: components["schemas"]["CompactionLayer"];
            /** @description Why nothing was done. */
            skipped_reason?: string;
            /** @description The message that stands for what was left out. */
            summary_message_id?: components["schemas"]["MessageId"];
            /** @enum {string} */
            type: "compaction";
        } | {
            /** @description The model before. */
            from: string;
            /** @description Why. */
            reason: string;
            /** @description The model now. */
            to: string;
            /** @enum {string} */
            type: "model_switched";
        } | {
            /** @description What it decided, in a word: `continue`, `block`, `ask`, `allow`, `deny`, `changed`, `context`, `failed`. */
            decision: string;
            /** @description The reason it gave, or what went wrong. */
            detail?: string;
            /** @description Which of the 13 events it was for, for example `PreToolUse`. */
            event: string;
            /**
             * Format: int64
             * @description How long it took, in milliseconds.
             */
            ms: number;
            /** @description The hook: a name, or its command. */
            name: string;
            /** @description The call it was about, if any. */
            tool_call_id?: components["schemas"]["CallId"];
            /** @enum {string} */
            type: "hook";
        } | {
            /** @description The session. */
            session: components["schemas"]["Session"];
            /** @enum {string} */
            type: "session_updated";
        } | {
            /** @description One or two sentences for the user. */
            detail?: string;
            /** @description Why, when it did not simply complete. */
            reason?: components["schemas"]["EndReason"];
            /** @description The run. */
            run_id: components["schemas"]["RunId"];
            /** @description How it ended. */
            status: components["schemas"]["RunStatus"];
            /** @enum {string} */
            type: "run_finished";
        } | {
            /** @description Stable name. */
            code: string;
            /** @description What happened and what to do. */
            detail: string;
            /** @enum {string} */
            type: "error";
        };
        /** @description One invalid field. */
        FieldError: {
            /** @description What is wrong with it. */
            detail: string;
            /** @description JSON pointer (RFC 6901) to the field. */
            pointer: string;
        };
        /** @description One file of a commit. */
        FileChange: {
            /** @description Whether it is no text; then there is no diff. */
            binary: boolean;
            /** @description What happened to it. */
            change: components["schemas"]["ChangeKind"];
            /** @description Unified diff, cut when it is long. */
            diff: string;
            /** @description Lines that are new. */
            lines_added: number;
            /** @description Lines that are gone. */
            lines_removed: number;
            /** @description The file. */
            path: string;
            /** @description Whether the diff was cut. */
            truncated: boolean;
        };
        /** @description Galactic coordinates in degrees. */
        Galactic: {
            /**
             * Format: double
             * @description Latitude, -90 to 90.
             */
            b_deg: number;
            /**
             * Format: double
             * @description Longitude, 0 to 360.
             */
            l_deg: number;
        };
        /** @description The state of the server, without secrets. */
        Health: {
            /** @description `ok`, or what is wrong with the database. */
            database: string;
            /** @description How well shell commands are isolated. */
            sandbox: components["schemas"]["Isolation"];
            /** @description Whether the first user has to be made with the set-up link. */
            setup_needed: boolean;
            /** @description `ok`, or `failing` when the database does not answer. */
            status: string;
            /** @description Version of the program. */
            version: string;
        };
        /** @description One histogram, of durations in seconds. */
        Histogram: {
            /** @description How many took at most so long; the last bucket is `count`. */
            buckets: components["schemas"]["Bucket"][];
            /**
             * Format: int64
             * @description How many were measured.
             */
            count: number;
            /** @description What tells it apart. */
            labels: {
                [key: string]: string;
            };
            /** @description Its Prometheus name. */
            name: string;
            /**
             * Format: double
             * @description Their sum.
             */
            sum_seconds: number;
        };
        /** @description One place that matches. */
        HistoryHit: {
            /** @description When it was said. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Start and length of each match in `snippet`, in Unicode code points. */
            highlights: [
                number,
                number
            ][];
            message_id?: components["schemas"]["MessageId"] | null;
            role?: components["schemas"]["Role"] | null;
            /**
             * Format: double
             * @description Larger is better; comparable within one answer.
             */
            score: number;
            /** @description The conversation. */
            session_id: components["schemas"]["SessionId"];
            /** @description Its title. */
            session_title: string;
            /** @description A piece of the text around the match. */
            snippet: string;
        };
        /** @description The places that match, the best first. */
        HistoryHits: {
            /** @description The hits. */
            items: components["schemas"]["HistoryHit"][];
        };
        /**
         * @description The moments at which hooks run.
         * @enum {string}
         */
        HookEvent: "SessionStart" | "SessionEnd" | "UserPromptSubmit" | "PreToolUse" | "PermissionRequest" | "PostToolUse" | "PostToolUseFailure" | "SubagentStart" | "SubagentStop" | "PreCompact" | "PostCompact" | "Notification" | "Stop";
        /** @description One hook. */
        HookInfo: {
            /** @description Its command line; null for those that are built in. */
            command?: string | null;
            event?: components["schemas"]["HookEvent"] | null;
            /** @description For which tools, sources or triggers; empty for all. */
            matcher: string;
            /** @description What the timeline calls it. */
            name: string;
            /** @description What its failure means. */
            on_error: components["schemas"]["OnError"];
            /** @description Where it comes from. */
            source: components["schemas"]["HookSource"];
            /**
             * Format: double
             * @description How long it may take, in seconds; null for those that are built in.
             */
            timeout?: number | null;
        };
        /** @description All hooks. */
        HookList: {
            /** @description `hooks.json` as it is. */
            document: Record<string, never>;
            /** @description The events there are. */
            events: components["schemas"]["HookEvent"][];
            /** @description Events in it that do not exist here; their hooks never run. */
            ignored_events: string[];
            /** @description Those that are built in, then the commands in their order. */
            items: components["schemas"]["HookInfo"][];
        };
        /**
         * @description Where a hook comes from.
         * @enum {string}
         */
        HookSource: "built_in" | "command";
        /**
         * @description How well a process is isolated.
         * @enum {string}
         */
        Isolation: "none" | "files" | "full";
        /** @description A page of the library. */
        LibraryList: {
            /** @description The papers. */
            items: components["schemas"]["LibraryPaper"][];
            /** @description Where the next page begins; null on the last. */
            next_cursor?: string | null;
            /**
             * Format: int64
             * @description How many papers there are in all pages.
             */
            total: number;
        };
        /** @description A paper of the library. */
        LibraryPaper: components["schemas"]["Paper"] & {
            /** @description When it was added. */
            added_at: components["schemas"]["Timestamp"];
        };
        /** @description One commit. */
        LogEntry: {
            /** @description Its id, 40 hexadecimal digits. */
            commit: string;
            /** @description The files it touched, at most 500 of them. */
            files: string[];
            /** @description The action and what it touched, for example `file_write notes/plan.md`. */
            message: string;
            session_id?: components["schemas"]["SessionId"] | null;
            /** @description When it was made. */
            time: components["schemas"]["Timestamp"];
        };
        /** @description A stretch of the log, newest first. */
        LogPage: {
            /** @description The commits. */
            items: components["schemas"]["LogEntry"][];
            /** @description Where the next stretch begins; absent at the end. */
            next_cursor?: string | null;
        };
        /** @description Who is logged in, and until when. */
        LoggedIn: {
            /** @description When the login ends. */
            expires_at: components["schemas"]["Timestamp"];
            /** @description What they may do. */
            role: components["schemas"]["UserRole"];
            /** @description Their name. */
            username: string;
        };
        /** @description Pairs that may be one paper. */
        LookAlikeList: {
            /** @description At most 50 pairs. */
            items: components["schemas"]["LookAlikes"][];
        };
        /** @description Two papers of the library that may be one. */
        LookAlikes: {
            /** @description Both, the older in the database first. */
            papers: components["schemas"]["Paper"][];
            /** @description Why they may be one. */
            reason: string;
        };
        /** @description One memory. */
        Memory: {
            /**
             * Format: double
             * @description How sure it is, from 0 to 1: 1 for what the user wrote, less for what an agent concluded.
             */
            confidence: number;
            /** @description What is remembered. */
            content: string;
            /** @description When it was stored. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Its id. */
            id: components["schemas"]["MemoryId"];
            /** @description What it is about. */
            kind: components["schemas"]["MemoryKind"];
            last_used_at?: components["schemas"]["Timestamp"] | null;
            /** @description Whether every conversation begins with it. */
            pinned: boolean;
            /** @description Where it comes from. */
            source: components["schemas"]["MemorySource"];
        };
        /**
         * Format: uuid
         * @description Something that is remembered from one conversation to the next.
         */
        MemoryId: string;
        /**
         * @description What a memory is about.
         * @enum {string}
         */
        MemoryKind: "preference" | "fact" | "decision" | "reference";
        /** @description A page of memories. */
        MemoryPage: {
            /** @description Pinned ones first, then the newest. */
            items: components["schemas"]["Memory"][];
            /** @description Where the next page begins; null on the last. */
            next_cursor?: string | null;
        };
        /** @description What to change; absent fields stay. */
        MemoryPatch: {
            /** @description New text. */
            content?: string;
            /** @description New kind. */
            kind?: components["schemas"]["MemoryKind"];
            /** @description Whether it stands at the head of the list. */
            pinned?: boolean;
        };
        /** @description Where a memory comes from. */
        MemorySource: {
            /** @description The message. */
            message_id?: components["schemas"]["MessageId"];
            /** @description The paper: an identifier as the agent wrote it, or an id of ours. */
            paper_id?: string;
            /** @description The conversation; it may have been deleted since. */
            session_id?: components["schemas"]["SessionId"];
        };
        /** @description One message. */
        Message: {
            /** @description Markdown, or a tool's output. */
            content: string;
            /** @description When it was stored. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Its id. */
            id: components["schemas"]["MessageId"];
            /** @description Whether the call failed. */
            is_error?: boolean;
            /** @description Structured data for the dashboard. */
            metadata?: unknown;
            /** @description The model that said it. */
            model?: string;
            /** @description The call of the parent that this belongs to, in a sub-agent's timeline. */
            parent_tool_call_id?: components["schemas"]["CallId"];
            /** @description True while it waits for the next model call of a run that is going. */
            queued?: boolean;
            /** @description Who speaks. */
            role: components["schemas"]["Role"];
            run_id?: components["schemas"]["RunId"] | null;
            /** @description The conversation. */
            session_id: components["schemas"]["SessionId"];
            /** @description The model's reasoning. */
            thinking?: string;
            /** @description Which call this is the result of. */
            tool_call_id?: components["schemas"]["CallId"];
            /** @description The model's calls, in order. */
            tool_calls?: components["schemas"]["ToolCall"][];
        };
        /**
         * Format: uuid
         * @description One message of a conversation.
         */
        MessageId: string;
        /** @description All messages of a session. */
        MessageList: {
            /** @description The messages in order; those that wait come last. */
            items: components["schemas"]["Message"][];
        };
        /** @description Everything that is counted. */
        MetricsData: {
            /** @description What only grows. */
            counters: components["schemas"]["Counter"][];
            /** @description How long things took. */
            histograms: components["schemas"]["Histogram"][];
            /** @description Since when. */
            since: components["schemas"]["Timestamp"];
        };
        /** @description The model that is wanted. */
        ModelChoice: {
            /** @description Its name. */
            name: string;
        };
        /**
         * @description How a model is doing.
         * @enum {string}
         */
        ModelHealth: "ok" | "overloaded" | "down";
        /** @description The models in the order in which they stand in for each other. */
        ModelList: {
            /** @description Empty when none is configured. */
            items: components["schemas"]["ModelStatus"][];
        };
        /** @description A model as the dashboard shows it. */
        ModelStatus: {
            /**
             * Format: int32
             * @description Tokens that fit in its window.
             */
            context_window: number;
            /** @description Whether the next call begins with it. */
            current: boolean;
            /** @description The host that serves it. */
            endpoint: string;
            /** @description How it is doing. */
            health: components["schemas"]["ModelHealth"];
            /** @description Its name at the provider. */
            name: string;
            /** @description Whether it is the one that is wanted. */
            preferred: boolean;
        };
        /** @description A memory that a user writes. */
        NewMemory: {
            /** @description What is to be remembered. */
            content: string;
            /** @description What it is about. */
            kind: components["schemas"]["MemoryKind"];
            /** @description Whether it stands at the head of the list. */
            pinned?: boolean;
        };
        /** @description Papers to add. */
        NewPapers: {
            /** @description Bibcodes, arXiv ids, DOIs, addresses that hold one, or ids of ours; at most 50. */
            identifiers: string[];
        };
        /** @description What a new session may have. */
        NewSession: {
            /**
             * @description How its runs work.
             * @default standard
             */
            mode?: components["schemas"]["RunMode"];
            /**
             * @description A model other than the server's.
             * @default null
             */
            model?: string | null;
            /**
             * @description Which calls need consent.
             * @default auto
             */
            permission_mode?: components["schemas"]["PermissionMode"];
            /**
             * @description Made from the first message when absent.
             * @default null
             */
            title?: string;
        };
        /**
         * @description What is decided when a hook fails: cannot start, takes too long, crashes, or says what nobody understands.
         * @enum {string}
         */
        OnError: "allow" | "deny";
        /** @description Another paper. */
        OtherPaper: {
            /** @description Its id, or any identifier that it has. */
            other_id: string;
        };
        /** @description A paper. */
        Paper: {
            /** @description Abstract; empty when the source has none. */
            abstract: string;
            /** @description The arXiv identifier without version. */
            arxiv_id?: string;
            /** @description Authors in order. */
            authors: components["schemas"]["Author"][];
            /** @description The bibcode to cite. */
            bibcode?: string;
            /**
             * Format: int32
             * @description Citations that ADS counts.
             */
            citation_count?: number;
            /** @description ADS document type (`article`, `eprint`, `phdthesis`, …). */
            doctype?: string | null;
            /** @description The publisher's DOI, lower case. */
            doi?: string;
            /** @description Whether its PDF is here. */
            has_pdf: boolean;
            /** @description Whether its text has been parsed. */
            has_text: boolean;
            /** @description Our id. */
            id: components["schemas"]["PaperId"];
            /** @description All identifiers, each with who said so. */
            identifiers: components["schemas"]["PaperIdentifier"][];
            /** @description Whether it was added to the library. */
            in_library: boolean;
            /** @description Keywords, or arXiv categories. */
            keywords: string[];
            /**
             * Format: int32
             * @description Notes on it.
             */
            notes_count: number;
            /** @description Date of publication as `YYYY-MM-DD`; an unknown month or day is `00`. */
            pubdate?: string | null;
            /** @description Where a preprint has been published since, for example `ApJL 952, L4`. */
            published_as?: string;
            /** @description Whether it still stands. */
            state: components["schemas"]["PaperState"];
            /** @description Tags. */
            tags: string[];
            /** @description Title, without markup other than TeX. */
            title: string;
            /** @description Journal, proceedings or `arXiv e-prints`. */
            venue?: string | null;
            /** @description Known versions, oldest first. */
            versions: components["schemas"]["PaperVersion"][];
            /**
             * Format: int32
             * @description Year of publication.
             */
            year?: number | null;
        };
        /**
         * Format: uuid
         * @description A paper of the library or of a search, whatever identifiers it has.
         */
        PaperId: string;
        /** @description One identifier of a paper. */
        PaperIdentifier: {
            /** @description The system. */
            scheme: components["schemas"]["Scheme"];
            /** @description Who said so. */
            source: components["schemas"]["Provenance"];
            /** @description The value in its normal form. */
            value: string;
        };
        /** @description What to change; absent fields stay. */
        PaperPatch: {
            /** @description Whether it is in the library. */
            in_library?: boolean;
            /** @description All tags of the paper. */
            tags?: string[];
        };
        /**
         * @description Whether a paper still stands.
         * @enum {string}
         */
        PaperState: "ok" | "withdrawn" | "retracted" | "corrected";
        /** @description One version of a paper. */
        PaperVersion: {
            /** @description Its own identifier: `2303.14849v2`, a bibcode or a DOI. */
            id: string;
            /** @description What kind of text it is. */
            kind: components["schemas"]["VersionKind"];
            /** @description Whether its file is here. */
            obtained: boolean;
        };
        /**
         * @description Which calls need the user's consent.
         * @enum {string}
         */
        PermissionMode: "ask" | "auto" | "plan" | "full";
        /** @description A rule. */
        PermissionRule: {
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description What it does with the calls that it matches. */
            effect: components["schemas"]["RuleEffect"];
            /** @description Its id. */
            id: components["schemas"]["RuleId"];
            /** @description `tool` or `tool(specifier)`. */
            rule: string;
            /** @description Where it holds. */
            scope: components["schemas"]["RuleScope"];
            /** @description The session it holds in. */
            session_id?: components["schemas"]["SessionId"];
            /** @description Where it comes from. */
            source: components["schemas"]["RuleSource"];
        };
        /** @description The rules that hold for a user. */
        PermissionRules: {
            /** @description The oldest first. */
            items: components["schemas"]["PermissionRule"][];
        };
        /** @description RFC 9457 problem document. */
        Problem: {
            /** @description Stable name of the error for programs. */
            code: string;
            /** @description What happened and what to do. */
            detail: string;
            /** @description Invalid fields. */
            errors?: components["schemas"]["FieldError"][];
            /**
             * Format: int32
             * @description The HTTP status.
             */
            status: number;
            /** @description The status in words. */
            title: string;
            /** @description A URI reference that names the kind of problem; always `about:blank` here, `code` is the stable name. */
            type: string;
        };
        /** @description How far a call is. */
        Progress: {
            /**
             * Format: int64
             * @description Units done.
             */
            done: number;
            /** @description One line for the user. */
            message: string;
            /**
             * Format: int64
             * @description Units in all, when known.
             */
            total?: number | null;
            /** @description What is counted. */
            unit: string;
        };
        /** @description Proper motion in milliarcseconds a year. */
        ProperMotion: {
            /**
             * Format: double
             * @description In declination.
             */
            dec: number;
            /**
             * Format: double
             * @description In right ascension, with the cosine of the declination in it.
             */
            ra: number;
        };
        /**
         * @description Who said that an identifier belongs to a paper.
         * @enum {string}
         */
        Provenance: "ads" | "arxiv" | "user";
        /** @description The queries as they were sent. */
        QuerySent: {
            /** @description To ADS. */
            ads?: string;
            /** @description To arXiv. */
            arxiv?: string;
        };
        /** @description A question to the user: a permission, or `ask_user`. */
        Question: {
            /** @description The answer, once there is one. */
            answer?: unknown;
            /** @description Its arguments. */
            arguments?: unknown;
            /** @description When it closes by itself. */
            expires_at: components["schemas"]["Timestamp"];
            /** @description Its id. */
            id: components["schemas"]["QuestionId"];
            /** @description What kind of question. */
            kind: components["schemas"]["QuestionKind"];
            /** @description What is asked. */
            message: string;
            /** @description Answers to choose from. */
            options?: string[];
            /** @description The run that waits. */
            run_id: components["schemas"]["RunId"];
            /** @description The conversation. */
            session_id: components["schemas"]["SessionId"];
            /** @description Its state. */
            status: components["schemas"]["QuestionStatus"];
            /** @description The rule that the answer `always` would store; without one that answer is not offered. */
            suggestion?: string;
            /** @description The tool that wants to run. */
            tool?: string;
            /** @description The call that waits. */
            tool_call_id: components["schemas"]["CallId"];
        };
        /**
         * Format: uuid
         * @description An open question to the user (a permission, or `ask_user`).
         */
        QuestionId: string;
        /**
         * @description Kinds of questions.
         * @enum {string}
         */
        QuestionKind: "permission" | "ask_user";
        /** @description Questions, the newest first. */
        QuestionList: {
            /** @description At most 200. */
            items: components["schemas"]["Question"][];
        };
        /**
         * @description States of a question.
         * @enum {string}
         */
        QuestionStatus: "open" | "answered" | "expired";
        /** @description The new text. */
        QueueEdit: {
            /** @description What the user says instead. */
            message: string;
        };
        /** @description What a service says is left of its daily allowance. */
        Quota: {
            /**
             * Format: int64
             * @description Requests a day.
             */
            limit: number;
            /**
             * Format: int64
             * @description Requests left.
             */
            remaining: number;
            /** @description When the count starts anew. */
            resets_at: components["schemas"]["Timestamp"];
        };
        /**
         * @description How a hit is related to the library.
         * @enum {string}
         */
        Relation: "cites_library" | "cited_by_library";
        /**
         * @description Who speaks.
         * @enum {string}
         */
        Role: "user" | "assistant" | "tool" | "summary";
        /** @description A call to try the rules on. */
        RuleCheck: {
            /** @description Its arguments. */
            arguments?: unknown;
            /** @description The mode. */
            permission_mode?: components["schemas"]["PermissionMode"];
            /** @description The tool. */
            tool: string;
        };
        /**
         * @description What a rule does with the calls that it matches.
         * @enum {string}
         */
        RuleEffect: "allow" | "ask" | "deny";
        /**
         * Format: uuid
         * @description A permission rule.
         */
        RuleId: string;
        /**
         * @description Where a rule holds.
         * @enum {string}
         */
        RuleScope: "everyone" | "mine" | "session";
        /**
         * @description Where a rule comes from.
         * @enum {string}
         */
        RuleSource: "written" | "answer";
        /** @description What a rule says. */
        RuleText: {
            /** @description What it does with the calls that it matches. */
            effect: components["schemas"]["RuleEffect"];
            /** @description `tool` or `tool(specifier)`. */
            rule: string;
        };
        /** @description What the rules say about a call. */
        RuleVerdict: {
            /** @description What the model or the user would be told. */
            reason: string;
            /** @description The rule that decides, if one does. */
            rule?: string;
            /** @description What would happen. */
            verdict: components["schemas"]["RuleEffect"];
        };
        /** @description A run. */
        Run: {
            /** @description One or two sentences for the user about how it ended. */
            detail?: string;
            ended_at?: components["schemas"]["Timestamp"] | null;
            /** @description Its id. */
            id: components["schemas"]["RunId"];
            /** @description How it works. */
            mode: components["schemas"]["RunMode"];
            /** @description Why it ended, when it did not simply complete. */
            reason?: components["schemas"]["EndReason"];
            /** @description The conversation. */
            session_id: components["schemas"]["SessionId"];
            /** @description When it began. */
            started_at: components["schemas"]["Timestamp"];
            /** @description Its state. */
            status: components["schemas"]["RunStatus"];
            /**
             * Format: int32
             * @description Model calls so far.
             */
            steps: number;
            /** @description What it has used. */
            usage: components["schemas"]["Usage"];
        };
        /** @description The run that will answer. */
        RunAccepted: {
            /** @description The stored message. */
            message_id: components["schemas"]["MessageId"];
            /** @description Whether the message waits for the run that is going. */
            queued: boolean;
            /** @description The run: a new one, or the one that is going. */
            run_id: components["schemas"]["RunId"];
            /**
             * Format: int64
             * @description Id of the last event before it: follow with `?after=seq`.
             */
            seq: number;
        };
        /**
         * Format: uuid
         * @description One run of the agent: from a user's message to the answer.
         */
        RunId: string;
        /**
         * @description How a run works.
         * @enum {string}
         */
        RunMode: "standard" | "coordinator";
        /** @description A question, and how it should be answered. */
        RunRequest: {
            /** @description The client's own id for this message: sending it again changes nothing. */
            client_message_id?: string | null;
            /** @description Whether to ask for reasoning; the server's setting when absent. */
            enable_thinking?: boolean | null;
            /**
             * Format: int32
             * @description Limit of model calls.
             */
            max_steps?: number | null;
            /** @description What the user says. */
            message: string;
            /** @description How the run works. */
            mode?: components["schemas"]["RunMode"];
            /** @description A model other than the session's. */
            model?: string | null;
            permission_mode?: components["schemas"]["PermissionMode"] | null;
        };
        /**
         * @description States of a run.
         * @enum {string}
         */
        RunStatus: "queued" | "running" | "waiting" | "completed" | "stopped" | "failed" | "interrupted";
        /**
         * @description A system of identifiers.
         * @enum {string}
         */
        Scheme: "bibcode" | "arxiv" | "arxiv_version" | "doi" | "hash";
        /** @description The answer to a search. */
        SearchAnswer: {
            /** @description Hits in order. */
            items: components["schemas"]["SearchHit"][];
            /** @description What was asked. */
            query_sent: components["schemas"]["QuerySent"];
            /** @description How it went with each source. */
            sources: components["schemas"]["SourceStatus"][];
        };
        /** @description One hit. */
        SearchHit: components["schemas"]["Paper"] & {
            /** @description Its relation to the library. */
            relation?: components["schemas"]["Relation"][];
            /**
             * Format: double
             * @description Reciprocal ranks in the sources' orders, added up; comparable within one answer alone.
             */
            score: number;
            /** @description Which sources found it. */
            source: components["schemas"]["SourceName"][];
        };
        /** @description Whether a service can be used. */
        ServiceStatus: {
            /** @description Whether everything it needs is set. */
            configured: boolean;
            /** @description What is used, or what to set. */
            detail: string;
        };
        /** @description A conversation. */
        Session: {
            active_run_id?: components["schemas"]["RunId"] | null;
            /** @description When it began. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Its id. */
            id: components["schemas"]["SessionId"];
            /** @description The beginning of its last message. */
            last_message: string;
            /** @description How its runs work. */
            mode: components["schemas"]["RunMode"];
            /** @description The model it uses, when it is not the server's current one. */
            model?: string | null;
            /** @description Which calls need consent. */
            permission_mode: components["schemas"]["PermissionMode"];
            /** @description Whether it stays on top of the list. */
            pinned: boolean;
            /** @description What the list shows. */
            title: string;
            /** @description When anything last changed. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description What its runs have used. */
            usage: components["schemas"]["Usage"];
        };
        /**
         * Format: uuid
         * @description A conversation.
         */
        SessionId: string;
        /** @description A page of sessions. */
        SessionPage: {
            /** @description The sessions. */
            items: components["schemas"]["Session"][];
            /** @description Where the next page begins; null on the last. */
            next_cursor?: string | null;
        };
        /** @description What to change; absent fields stay. */
        SessionPatch: {
            /**
             * @description Another model; null goes back to the server's.
             * @default null
             */
            model?: string | null;
            /**
             * @description Which calls need consent.
             * @default null
             */
            permission_mode?: components["schemas"]["PermissionMode"];
            /**
             * @description Keep it on top.
             * @default null
             */
            pinned?: boolean;
            /**
             * @description New title.
             * @default null
             */
            title?: string;
        };
        /** @description The settings as far as a user may see them. */
        SettingsView: {
            /** @description NASA ADS. */
            ads: components["schemas"]["ServiceStatus"];
            /** @description The language model. */
            llm: components["schemas"]["ServiceStatus"];
            /**
             * Format: int32
             * @description Limit of model calls in a run.
             */
            max_steps: number;
            /** @description Name of the model; null without one. */
            model?: string | null;
        };
        /** @description The first user, with the token of the set-up link. */
        Setup: {
            password: string;
            token: string;
            username: string;
        };
        /** @description One skill. */
        Skill: {
            /** @description What it does and when to use it. */
            description: string;
            /** @description Its folder as file tools name it. */
            folder: string;
            /** @description How it wants to be used. */
            mode: components["schemas"]["SkillMode"];
            /** @description What it is loaded by. */
            name: string;
            /** @description What is wrong with its file, each with what to do. */
            problems: string[];
            /** @description Whose it is. */
            source: components["schemas"]["SkillSource"];
        };
        /** @description All skills. */
        SkillList: {
            /** @description By name. */
            items: components["schemas"]["Skill"][];
        };
        /**
         * @description How a skill wants to be used.
         * @enum {string}
         */
        SkillMode: "inline" | "fork";
        /**
         * @description Whose a skill is.
         * @enum {string}
         */
        SkillSource: "shipped" | "user";
        /**
         * @description A service that is searched.
         * @enum {string}
         */
        SourceName: "ads" | "arxiv";
        /**
         * @description How it went with one source.
         * @enum {string}
         */
        SourceOutcome: "ok" | "failed" | "skipped";
        /** @description The part of one source in an answer. */
        SourceStatus: {
            /** @description Why it failed or was left out, and what to do. */
            detail?: string;
            /** @description The source. */
            name: components["schemas"]["SourceName"];
            /** @description What is left of the allowance, when the source says so. */
            quota?: components["schemas"]["Quota"];
            /** @description How it went. */
            status: components["schemas"]["SourceOutcome"];
            /**
             * Format: int64
             * @description Papers that match there.
             */
            total?: number;
        };
        /** @description A tag and how many papers of the library have it. */
        TagCount: {
            /**
             * Format: int64
             * @description Papers that have it.
             */
            count: number;
            /** @description The tag. */
            tag: string;
        };
        /** @description The tags of the library. */
        TagList: {
            /** @description By name. */
            items: components["schemas"]["TagCount"][];
        };
        /** @description A resolved name. */
        Target: {
            /** @description Other names. */
            aliases?: string[];
            /** @description What an ambiguous name may stand for. */
            candidates?: string[];
            /** @description The resolver's main name. */
            canonical?: string;
            /**
             * Format: double
             * @description Declination, ICRS, epoch J2000, degrees.
             */
            dec_deg?: number;
            /** @description What there is to say about it: why nothing was found, how coarse the position is. */
            detail?: string;
            /** @description The same in the galactic system. */
            galactic?: components["schemas"]["Galactic"];
            /** @description The name as it was asked for, blanks collapsed. */
            name: string;
            /**
             * Format: double
             * @description Parallax in milliarcseconds.
             */
            parallax_mas?: number;
            /** @description Proper motion in milliarcseconds a year. */
            pm_mas_yr?: components["schemas"]["ProperMotion"];
            /**
             * Format: double
             * @description Right ascension, ICRS, epoch J2000, degrees from 0 to 360.
             */
            ra_deg?: number;
            /** @description Who answered: `SIMBAD`, `NED`, `VizieR`. */
            resolver?: string;
            /** @description Spectral type. */
            spectral_type?: string;
            /** @description How it went. */
            status: components["schemas"]["TargetStatus"];
            /** @description Object type in the resolver's own code (`Pl`, `LIN`, `G`). */
            type?: string;
            /**
             * Format: double
             * @description Heliocentric radial velocity in km/s.
             */
            velocity_kms?: number;
            /**
             * Format: double
             * @description Redshift.
             */
            z?: number;
        };
        /**
         * @description The four outcomes.
         * @enum {string}
         */
        TargetStatus: "found" | "not_found" | "ambiguous" | "unavailable";
        /**
         * Format: date-time
         * @description A point in time with millisecond resolution, UTC.
         */
        Timestamp: string;
        /** @description One item of the plan. */
        Todo: {
            /** @description Ids that must be completed first. */
            blocked_by?: string[];
            /** @description What is to be done. */
            content: string;
            /** @description Short id, unique in the plan. */
            id: string;
            /** @description How far it is. */
            status: components["schemas"]["TodoStatus"];
        };
        /**
         * @description States of a todo.
         * @enum {string}
         */
        TodoStatus: "pending" | "in_progress" | "completed";
        /** @description A call as it is stored with its assistant message. */
        ToolCall: {
            /** @description The arguments: an object, or the text as the model wrote it when that was no object. */
            arguments: unknown;
            /** @description Our id. */
            id: components["schemas"]["CallId"];
            /** @description The tool. */
            name: string;
        };
        /** @description One tool as the catalogue shows it. */
        ToolInfo: {
            /** @description Whether its definition is loaded on demand. */
            deferred: boolean;
            /** @description When the model calls it. */
            description: string;
            /** @description What the model calls. */
            name: string;
            /** @description JSON Schema of its arguments. */
            parameters: unknown;
            /** @description Whether it has no side effect. */
            readonly: boolean;
            /** @description One line. */
            summary: string;
        };
        /** @description All tools. */
        ToolList: {
            /** @description By name. */
            items: components["schemas"]["ToolInfo"][];
        };
        /** @description What to try. */
        Trial: {
            /** @description The event. */
            event: components["schemas"]["HookEvent"];
            /** @description Name of the one hook to try; all that match when absent. */
            hook?: string | null;
            /** @description Fields that replace those of the made-up input, for example `{"tool_name": "file_write"}`. */
            payload?: Record<string, never>;
        };
        /** @description What one hook did. */
        TrialResult: {
            /** @description The arguments it would put in place. */
            arguments?: unknown;
            /** @description Its command. */
            command: string;
            /** @description What the model would read beside the rest. */
            context?: string | null;
            /** @description What it would decide, in the words of the timeline. */
            decision: string;
            /** @description The reason it gave, or what went wrong. */
            detail?: string | null;
            /**
             * Format: int32
             * @description The exit code; null when there was none.
             */
            exit_code?: number | null;
            /**
             * Format: int64
             * @description How long it took, in milliseconds.
             */
            ms: number;
            /** @description Its name. */
            name: string;
            /** @description Its standard error, at most 64 KiB. */
            stderr: string;
            /** @description Its standard output, at most 64 KiB. */
            stdout: string;
        };
        /** @description What a trial answers. */
        TrialResults: {
            /** @description One for each hook that ran, in order. */
            items: components["schemas"]["TrialResult"][];
        };
        /** @description Two papers that were one. */
        TwoPapers: {
            /** @description The paper that stays under its id. */
            kept: components["schemas"]["Paper"];
            /** @description The paper that is one of its own again. */
            released: components["schemas"]["Paper"];
        };
        /** @description What a merge brought. */
        UnmergeRequest: {
            /** @description A bibcode, arXiv id or DOI of the paper to make one of its own again. */
            identifier: string;
        };
        /** @description What a model used, in tokens; the provider's own count. */
        Usage: {
            /**
             * Format: int64
             * @description Tokens of the request that came from the provider's prompt cache.
             */
            cached_tokens: number;
            /**
             * Format: double
             * @description Cost in US dollars where the provider reports it.
             */
            cost_usd?: number;
            /**
             * Format: int64
             * @description Tokens of the request, cached ones included.
             */
            input_tokens: number;
            /**
             * Format: int64
             * @description Tokens of the answer, reasoning included.
             */
            output_tokens: number;
        };
        /**
         * Format: uuid
         * @description A person with a login.
         */
        UserId: string;
        /**
         * @description What a user may do.
         * @enum {string}
         */
        UserRole: "admin" | "user";
        /**
         * @description What kind of text a version is.
         * @enum {string}
         */
        VersionKind: "preprint" | "accepted" | "published";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
