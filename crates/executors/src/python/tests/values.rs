//! A deny in a value that is no reply, and one that was printed, count.

use super::{TestBed, deny, garbled, nothing};

const MODULE: &str = r#"
import collections, dataclasses, types
@dataclasses.dataclass
class Verdict:
    deny: str
def in_list(event): return [{"deny": "x"}]
def in_lists(event): return [[{}], ({"allow": True}, {"deny": "x"})]
def in_tuple(event): return ({"decision": "block", "reason": "x"},)
def in_bytes(event): return b'{"deny": "x"}'
def in_wide_bytes(event): return bytearray('{"deny": "x"}'.encode("utf-16"))
def in_text_list(event): return '[{"deny": "x"}]'
def dataclass_in_list(event): return [object(), Verdict("x")]
def in_deque(event): return collections.deque([{"deny": "x", 1: {2}}])
def named_in_list(event): return [collections.namedtuple("R", "deny")("x")]
def in_proxy(event): return types.MappingProxyType({"deny": "x"})
def in_class(event):
    class Result:
        def __init__(self): self.deny = "x"
    return Result()
def foreign_beside(event): return {"action": "deny", "reason": "x", "data": object()}
def continue_beside(event): return {"continue": False, "stopReason": "x", "data": {(1, 2): object()}}
def own_list(event):
    it = [{"deny": "x"}]
    it.append(it)
    return it
def printed_then_allow(event):
    print('{"deny": "x"}')
    return {"allow": True}
def printed_then_ask(event):
    print('log\n{"deny": "x"}\nlog')
    return {"ask": "sure?"}
def printed_then_text(event):
    print('{"deny": "x"}')
    return "fine"
def printed_then_list(event):
    print('{"deny": "x"}')
    return [1]
def printed_first(event):
    print('{"deny": "x"}')
    for _ in range(3000): print("y" * 1023)
def printed_log(event):
    print('curl -d {"action":"deny"} http://localhost')
def text_in_list(event): return ['{"deny": "x"}']
"#;

#[test]
fn deny_in_any_value_or_print_counts() {
    let stage = TestBed::new(MODULE);
    for function in [
        "m.in_list",
        "m.in_lists",
        "m.in_tuple",
        "m.in_bytes",
        "m.in_wide_bytes",
        "m.in_text_list",
        "m.dataclass_in_list",
        "m.in_deque",
        "m.named_in_list",
        "m.in_proxy",
        "m.in_class",
        "m.foreign_beside",
        "m.continue_beside",
        "m.own_list",
        "m.printed_then_allow",
        "m.printed_then_ask",
        "m.printed_then_text",
        "m.printed_then_list",
        "m.printed_first",
    ] {
        assert_eq!(stage.output_of(function), deny("x"), "{function}");
    }
    assert_eq!(stage.output_of("m.printed_log"), nothing());
    assert!(garbled(stage.output_of("m.text_in_list")).contains("of type `list`"));
}
