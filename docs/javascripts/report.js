// A report of an error names the heading that the page's address has.
export function show(link) {
  link.addEventListener("click", () => {
    const form = new URL(link.href);
    const [page] = form.searchParams.get("where").split("#");
    form.searchParams.set("where", page + decodeURIComponent(location.hash));
    link.href = form.href;
  });
}
