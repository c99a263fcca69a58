export const GET = () => new Response('the shop');
