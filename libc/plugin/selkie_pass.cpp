// SPDX-License-Identifier: BSD-2-Clause
/*
 * What selkie-cc adds to the compiler, on LLVM's intermediate code:
 *
 * - names: the calls that return twice become ones of setjmp, the only one
 *   that WebAssembly's back end knows, a main with three arguments gets its
 *   third, and handlers of another type than handlers have are wrapped;
 * - polls: a loop asks at its head whether a signal waits, so that a program
 *   that only computes can be interrupted. It is done after the optimizer,
 *   which then sees the loops as they were written, and before setjmp is
 *   lowered, so that a handler may longjmp into the loop's own function.
 *
 * LLVM has no C interface for plug-ins: this is the one C++ file here.
 */
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

/* A loop without calls asks once in so many rounds. */
constexpr unsigned rounds = 1024;
/* A loop that is known to end after so many does not ask. */
constexpr unsigned few = 4096;

FunctionCallee setjmp_of(Module &m)
{
	LLVMContext &c = m.getContext();
	FunctionCallee f = m.getOrInsertFunction("setjmp",
	    Type::getInt32Ty(c), PointerType::get(c, 0));

	if (auto *decl = dyn_cast<Function>(f.getCallee()))
		decl->addFnAttr(Attribute::ReturnsTwice);
	return f;
}

CallInst *call_setjmp(IRBuilder<> &b, Module &m, Value *buf)
{
	CallInst *call = b.CreateCall(setjmp_of(m), buf);

	call->addFnAttr(Attribute::ReturnsTwice);
	return call;
}

SmallVector<CallInst *> calls_of(Function &f)
{
	SmallVector<CallInst *> calls;

	for (User *u : f.users())
		if (auto *call = dyn_cast<CallInst>(u))
			if (call->getCalledOperand() == &f)
				calls.push_back(call);
	return calls;
}

/* sigsetjmp(buf, save): __sk_sigsetjmp(buf, save), setjmp(buf). */
bool lower_sigsetjmp(Module &m, Function &f)
{
	Type *ptr = PointerType::get(m.getContext(), 0);
	bool changed = false;

	for (CallInst *call : calls_of(f)) {
		IRBuilder<> b(call);

		if (call->arg_size() == 2) {
			FunctionCallee mark = m.getOrInsertFunction(
			    "__sk_sigsetjmp", b.getVoidTy(), ptr,
			    b.getInt32Ty());

			b.CreateCall(mark,
			    { call->getArgOperand(0), call->getArgOperand(1) });
		}
		call->replaceAllUsesWith(
		    call_setjmp(b, m, call->getArgOperand(0)));
		call->eraseFromParent();
		changed = true;
	}
	return changed;
}

/* vfork(): __sk_vfork(setjmp(__sk_vfork_buf())). */
bool lower_vfork(Module &m, Function &f)
{
	Type *ptr = PointerType::get(m.getContext(), 0);
	bool changed = false;

	for (CallInst *call : calls_of(f)) {
		IRBuilder<> b(call);
		FunctionCallee buf = m.getOrInsertFunction("__sk_vfork_buf",
		    ptr);
		FunctionCallee fork = m.getOrInsertFunction("__sk_vfork",
		    b.getInt32Ty(), b.getInt32Ty());
		Value *again = call_setjmp(b, m, b.CreateCall(buf));

		call->replaceAllUsesWith(b.CreateCall(fork, again));
		call->eraseFromParent();
		changed = true;
	}
	return changed;
}

/* main(argc, argv, envp): called by one that reads envp from environ. */
bool give_environ(Module &m)
{
	Function *main = m.getFunction("main");

	if (!main || main->isDeclaration() || main->arg_size() != 3)
		return false;
	Type *i32 = Type::getInt32Ty(m.getContext());
	Type *ptr = PointerType::get(m.getContext(), 0);

	main->setName("__sk_main_envp");
	Function *start = Function::Create(
	    FunctionType::get(i32, { i32, ptr }, false),
	    GlobalValue::ExternalLinkage, "__main_argc_argv", m);
	IRBuilder<> b(BasicBlock::Create(m.getContext(), "", start));
	Value *env = b.CreateLoad(ptr, m.getOrInsertGlobal("__environ", ptr));

	b.CreateRet(b.CreateCall(main,
	    { start->getArg(0), start->getArg(1), env }));
	return true;
}

/*
 * WebAssembly calls a function by its exact type only, and old programs
 * declare handlers as they like: `void handler()`, `int handler(int)`. What
 * is not of a handler's type is called by one that is.
 */
bool is_handler(const Function &f)
{
	Type *i32 = Type::getInt32Ty(f.getContext());
	FunctionType *type = f.getFunctionType();

	if (!type->getReturnType()->isVoidTy() || type->isVarArg())
		return false;
	return type->getNumParams() == 3 ||
	    (type->getNumParams() == 1 && type->getParamType(0) == i32);
}

Function *handler_of(Function &f)
{
	Module &m = *f.getParent();
	Type *i32 = Type::getInt32Ty(m.getContext());
	FunctionType *type = f.getFunctionType();
	std::string name = (f.getName() + ".sk_handler").str();

	if (Function *made = m.getFunction(name))
		return made;
	Function *h = Function::Create(FunctionType::get(
	    Type::getVoidTy(m.getContext()), { i32 }, false),
	    GlobalValue::InternalLinkage, name, m);
	IRBuilder<> b(BasicBlock::Create(m.getContext(), "", h));
	SmallVector<Value *> args;

	if (type->getNumParams() == 1)
		args.push_back(h->getArg(0));
	b.CreateCall(&f, args);
	b.CreateRetVoid();
	return h;
}

/* The function at `use`, when it can and has to be wrapped. */
bool wrap_handler(Use &use)
{
	auto *f = dyn_cast<Function>(use.get());

	if (!f || f->isDeclaration() || is_handler(*f) ||
	    f->getFunctionType()->isVarArg())
		return false;
	FunctionType *type = f->getFunctionType();
	if (type->getNumParams() > 1 || (type->getNumParams() == 1 &&
	    !type->getParamType(0)->isIntegerTy(32)))
		return false;
	use.set(handler_of(*f));
	return true;
}

/* signal(n, f), and stores of f into a struct sigaction. */
bool wrap_handlers(Module &m)
{
	SmallVector<Use *> uses;

	if (Function *signal = m.getFunction("signal"))
		for (CallInst *call : calls_of(*signal))
			if (call->arg_size() == 2)
				uses.push_back(&call->getArgOperandUse(1));
	for (Function &f : m)
		for (BasicBlock &block : f)
			for (Instruction &i : block) {
				auto *store = dyn_cast<StoreInst>(&i);
				auto *at = store ? dyn_cast<GEPOperator>(
				    store->getPointerOperand()) : nullptr;
				auto *type = at ? dyn_cast<StructType>(
				    at->getSourceElementType()) : nullptr;

				if (type && type->hasName() &&
				    type->getName() == "struct.sigaction")
					uses.push_back(
					    &store->getOperandUse(0));
			}
	bool changed = false;
	for (Use *use : uses)
		changed |= wrap_handler(*use);
	return changed;
}

struct Names : PassInfoMixin<Names> {
	PreservedAnalyses run(Module &m, ModuleAnalysisManager &)
	{
		bool changed = give_environ(m);

		changed |= wrap_handlers(m);

		for (const char *name : { "_setjmp", "sigsetjmp",
			 "__sigsetjmp" })
			if (Function *f = m.getFunction(name))
				changed |= lower_sigsetjmp(m, *f);
		if (Function *f = m.getFunction("vfork"))
			changed |= lower_vfork(m, *f);
		return changed ? PreservedAnalyses::none() :
				 PreservedAnalyses::all();
	}
	static bool isRequired() { return true; }
};

struct Polls : PassInfoMixin<Polls> {
	static bool has_calls(const Loop &loop)
	{
		for (BasicBlock *block : loop.blocks())
			for (Instruction &i : *block)
				if (auto *call = dyn_cast<CallBase>(&i))
					if (!isa<IntrinsicInst>(call))
						return true;
		return false;
	}

	/* Adds the rounds up to the condition that it is time to ask. */
	static Value *count(BasicBlock *head, const Loop &loop)
	{
		Type *i32 = Type::getInt32Ty(head->getContext());
		IRBuilder<> b(head, head->begin());
		PHINode *n = b.CreatePHI(i32, 2, "sk.rounds");

		b.SetInsertPoint(head, head->getFirstInsertionPt());
		b.SetCurrentDebugLocation(
		    head->getFirstInsertionPt()->getStableDebugLoc());
		Value *next = b.CreateAdd(n, b.getInt32(1));
		for (BasicBlock *from : predecessors(head))
			n->addIncoming(loop.contains(from) ? next :
				(Value *)b.getInt32(0), from);
		return b.CreateICmpEQ(b.CreateAnd(next, rounds - 1),
		    b.getInt32(0));
	}

	static void ask(Function &f, Instruction *at)
	{
		Module &m = *f.getParent();
		LLVMContext &c = m.getContext();
		IRBuilder<> b(at);

		b.SetCurrentDebugLocation(at->getStableDebugLoc());
		FunctionCallee pending = m.getOrInsertFunction(
		    "__sk_import_pending", b.getInt32Ty());
		FunctionCallee slow = m.getOrInsertFunction("__sk_poll_slow",
		    b.getVoidTy());
		auto *decl = cast<Function>(pending.getCallee());

		decl->addFnAttr("wasm-import-module", "kernel");
		decl->addFnAttr("wasm-import-name", "pending");
		decl->addFnAttr(Attribute::NoUnwind);
		Value *waits = b.CreateICmpNE(b.CreateCall(pending),
		    b.getInt32(0));
		Instruction *then = SplitBlockAndInsertIfThen(waits, at, false,
		    MDBuilder(c).createUnlikelyBranchWeights());
		b.SetInsertPoint(then);
		b.CreateCall(slow);
	}

	PreservedAnalyses run(Function &f, FunctionAnalysisManager &am)
	{
		struct Place {
			BasicBlock *head;
			const Loop *loop;
			bool calls;
		};
		LoopInfo &li = am.getResult<LoopAnalysis>(f);
		SmallVector<Place> places;

		if (li.empty())
			return PreservedAnalyses::all();
		auto &se = am.getResult<ScalarEvolutionAnalysis>(f);
		for (Loop *loop : li.getLoopsInPreorder()) {
			unsigned most = se.getSmallConstantMaxTripCount(loop);

			if (loop->isInnermost() && most && most <= few &&
			    !has_calls(*loop))
				continue;
			if (loop->getHeader()->isEHPad())
				continue;
			places.push_back({ loop->getHeader(), loop,
			    has_calls(*loop) });
		}
		SmallVector<std::pair<BasicBlock *, Value *>> counted;
		for (Place &p : places)
			counted.push_back({ p.head, p.calls ? nullptr :
				count(p.head, *p.loop) });
		for (auto &[head, due] : counted) {
			if (!due) {
				ask(f, &*head->getFirstInsertionPt());
				continue;
			}
			auto *at = cast<Instruction>(due)->getNextNode();

			ask(f, SplitBlockAndInsertIfThen(due, at, false,
			    MDBuilder(f.getContext())
				.createUnlikelyBranchWeights()));
		}
		return places.empty() ? PreservedAnalyses::all() :
					PreservedAnalyses::none();
	}
	static bool isRequired() { return true; }
};

void add_passes(PassBuilder &pb)
{
	pb.registerPipelineStartEPCallback(
	    [](ModulePassManager &mpm, OptimizationLevel) {
		    mpm.addPass(Names());
	    });
	pb.registerOptimizerLastEPCallback([](ModulePassManager &mpm,
	    OptimizationLevel, ThinOrFullLTOPhase) {
		mpm.addPass(createModuleToFunctionPassAdaptor(Polls()));
	});
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	return { LLVM_PLUGIN_API_VERSION, "selkie", "1", add_passes };
}
