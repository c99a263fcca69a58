// The crash: an item without `tax`.
export function total(items) {
  const sum = items.reduce((all, item) => all + item.price, 0);
  return sum * items[0].tax.rate;
}
