// Runs before the first paint, so that the page never flashes in the wrong colours.
// A file of its own because the policy of the server allows no inline script.
(() => {
  let theme = "system";
  let language = "";
  try {
    const stored = JSON.parse(localStorage.getItem("almagest-preferences") || "{}").state || {};
    theme = stored.theme || theme;
    language = stored.language || language;
  } catch {
    // Storage may be off; the defaults stand.
  }
  const dark =
    theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.documentElement.lang = language || (/^zh/i.test(navigator.language) ? "zh" : "en");
})();
