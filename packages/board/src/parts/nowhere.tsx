/** Shown at an address that no page has. */
export function Nowhere() {
  return (
    <section class="blank">
      <h2>No such page</h2>
      <p class="soft">The board has no page at this address. It may be mistyped.</p>
      <p>
        <a href="#/">Back to the inbox</a>
      </p>
    </section>
  );
}
