import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useTitle } from "@/app/title";

export default function NotFoundPage() {
  const { t } = useTranslation();
  useTitle(t("app.notFoundTitle"));
  return (
    <div className="m-auto max-w-sm p-8 text-center">
      <h1 className="font-serif text-xl">{t("app.notFoundTitle")}</h1>
      <p className="mt-2 text-soft">{t("app.notFoundText")}</p>
      <Link to="/" className="mt-4 inline-block text-accent underline underline-offset-4">
        {t("app.home")}
      </Link>
    </div>
  );
}
