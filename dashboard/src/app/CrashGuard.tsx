import { Component, type ReactNode } from "react";
import { Button } from "@/components/Button";
import { i18next } from "@/i18n";

/** The last net: a fault in one component does not leave a blank page. */
export class CrashGuard extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <main className="m-auto max-w-md p-8 text-center" role="alert">
        <h1 className="text-lg font-semibold">{i18next.t("app.crashTitle")}</h1>
        <p className="mt-2 text-soft">{i18next.t("app.crashText")}</p>
        <pre className="mt-4 overflow-auto rounded-lg bg-sunken p-3 text-left font-mono text-xs">
          {error.message}
        </pre>
        <Button className="mt-4" onClick={() => location.reload()}>
          {i18next.t("app.reload")}
        </Button>
      </main>
    );
  }
}
